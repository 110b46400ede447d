import PhotoFile

/// How to ask one image program of this machine: once to decode, turn upright and shrink into a
/// loss-free working copy, then once for each quality tried. All names are relative to a working
/// folder, so no character of a path can mean anything to the program.
struct ImageProgram: Sendable {
  /// A box, in pixels, that a picture is shrunk into if it does not fit; never enlarged.
  typealias Box = JPEGFitSearch.PixelSize

  /// The program's name in `PATH`.
  let name: String
  /// Arguments that make the working copy from ``source``, upright and within the box.
  let shrink: @Sendable (PictureInfo, Box) -> [String]
  /// Arguments that make a JPEG of that quality and name from the working copy. Colours are
  /// halved at every quality, so that size grows steadily with it and the search is sound.
  let encode: @Sendable (_ quality: Int, Box, _ result: String) -> [String]

  /// The original, under a name that says nothing.
  static let source = "source"

  /// In the order of preference.
  static let all = [vips, imageMagick("magick"), imageMagick("convert")]

  /// libvips: fast and small in memory; turns upright by itself and converts colours to sRGB.
  static let vips = ImageProgram(name: "vipsthumbnail") { info, box in
    // To sRGB, from the picture's own profile or, should that be broken, from sRGB. Asked to do
    // so without any profile, libvips 8.14 shifts blue towards violet.
    let colours = info.hasColourProfile ? ["-e", "srgb", "-i", "srgb"] : []
    return [source, "--size", "\(box.width)x\(box.height)>"] + colours + ["-o", "work.v"]
  } encode: { quality, box, result in
    // The working copy is upright and yet keeps its orientation tag (libvips 8.14); "strip" also
    // drops the profile, which colours in sRGB can do without.
    let options = "Q=\(quality),optimize_coding,subsample_mode=on,background=255,strip"
    return ["work.v", "--no-rotate", "--size", "\(box.width)x\(box.height)>"]
      + ["-o", "\(result)[\(options)]"]
  }

  /// ImageMagick, version 7 (`magick`) or 6 (`convert`).
  static func imageMagick(_ name: String) -> ImageProgram {
    ImageProgram(name: name) { info, box in
      // The prefix keeps it from guessing; [0] is the first picture of several.
      ["\(coder(info.kind)):\(source)[0]"]
        // The HEIF decoder has turned the pixels already.
        + (info.kind == .heif || info.kind == .avif ? [] : ["-auto-orient"])
        // Without the printer's own profile four colours become three by rule of thumb.
        + (info.isCMYK ? ["-colorspace", "sRGB", "+profile", "*"] : ["+profile", "!icc,*"])
        + ["-resize", "\(box.width)x\(box.height)>", "-background", "white", "-alpha", "remove"]
        + ["-orient", "Undefined", "miff:work.miff"]
    } encode: { quality, box, result in
      ["miff:work.miff", "-resize", "\(box.width)x\(box.height)>"]
        + ["-quality", "\(quality)", "-sampling-factor", "4:2:0", "jpeg:\(result)"]
    }
  }

  private static func coder(_ kind: PictureKind) -> String {
    kind == .heif ? "heic" : kind.rawValue
  }
}
