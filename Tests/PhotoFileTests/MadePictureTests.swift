import Foundation
import PhotoFile
import Testing

/// Pictures of every layout, made on the spot by ImageMagick and marked by exiftool.
@Suite(
  "Pictures other programs make",
  .enabled(if: PictureTool.areAllPresent, "\(PictureTool.skipReason)"))
struct MadePictureTests {
  private static let layouts: [(name: String, arguments: [String])] = [
    ("baseline.jpg", []),
    ("progressive.jpg", ["-interlace", "JPEG"]),
    ("grey.jpg", ["-colorspace", "Gray"]),
    ("rgb.jpg", ["-colorspace", "RGB"]),
    ("cmyk.jpg", ["-colorspace", "CMYK"]),
    ("true.png", []),
    ("deep.png", ["-depth", "16"]),
    ("palette.png", ["-colors", "16", "-transparent", "red", "-define", "png:format=png8"]),
    (
      "alpha.png",
      ["-alpha", "set", "-channel", "A", "-evaluate", "set", "40%", "-interlace", "PNG"]
    ),
    ("lossy.webp", []),
    ("lossless.webp", ["-define", "webp:lossless=true"]),
    ("alpha.webp", ["-alpha", "set", "-channel", "A", "-evaluate", "set", "40%"]),
  ]

  @Test("each layout keeps its pixels and loses its marks", arguments: layouts.indices)
  func strip(index: Int) async throws {
    let (name, arguments) = Self.layouts[index]
    let folder = try ScratchFolder()
    let convert = try #require(PictureTool.convert)
    let exiftool = try #require(PictureTool.exiftool)
    _ = try await convert.output(
      ["-size", "61x40", "plasma:red-blue", "-seed", "7"] + arguments + [folder.path(name)])
    _ = try await exiftool.output([
      "-q", "-overwrite_original", "-Orientation#=6", "-Make=Maker", "-GPSLatitude=48.1",
      "-GPSLatitudeRef=N", "-GPSLongitude=11.5", "-GPSLongitudeRef=E", "-XMP:Title=Secret",
      folder.path(name),
    ])
    let marked = try folder.bytes(name)
    let before = try PictureReader.read(marked)
    #expect((before.width, before.height, before.orientation) == (61, 40, 6))
    #expect(before.exif?.make == "Maker")
    #expect(before.position == PicturePosition(latitude: 48.1, longitude: 11.5))
    #expect(before.isCMYK == (name == "cmyk.jpg"))

    let copy = try PictureStripper.strip(marked)
    try folder.write(copy, to: "copy-\(name)")
    let identify = try #require(PictureTool.identify)
    let digest = ["-format", "%m %w %h %[colorspace] %[channels] %z %#"]
    let original = try await identify.lines(digest + [folder.path(name)])
    let stripped = try await identify.lines(digest + [folder.path("copy-\(name)")])
    #expect(original == stripped && original.count == 1)
    let after = PictureInfo(
      kind: before.kind, width: 61, height: 40, orientation: 6, isCMYK: before.isCMYK)
    #expect(try PictureReader.read(copy) == after)
    let left = try await exiftool.lines(["-a", "-G1", "-s", "-n", folder.path("copy-\(name)")])
    #expect(left.contains { $0.contains("Orientation") && $0.hasSuffix(": 6") })
    #expect(!left.contains { $0.contains("GPS") || $0.contains("XMP") || $0.contains("Maker") })
    #expect(!left.contains { $0.contains("Warning") || $0.contains("Error") }, "\(left)")
  }

  @Test("an animated WebP keeps every frame")
  func animation() async throws {
    let folder = try ScratchFolder()
    let convert = try #require(PictureTool.convert)
    _ = try await convert.output(
      ["-size", "40x30", "-delay", "20", "xc:red", "xc:lime", "xc:blue", folder.path("a.webp")])
    let bytes = try folder.bytes("a.webp")
    let copy = try PictureStripper.strip(bytes)
    // ImageMagick 6 leaves a lone frame behind the end; it must not survive.
    let announced = WebPSample.chunks(bytes).prefix { $0.type != "RIFF" }
    #expect(copy == WebPSample(chunks: Array(announced)).bytes)
    #expect(WebPSample.chunks(copy).filter { $0.type == "ANMF" }.count == 3)
  }

  @Test("HEIF and AVIF of another program are measured", arguments: ["heic", "avif"])
  func measured(type: String) async throws {
    let folder = try ScratchFolder()
    let convert = try #require(PictureTool.convert)
    _ = try await convert.output(["-size", "61x41", "gradient:red-blue", folder.path("a.\(type)")])
    // ImageMagick may be built without this coder; then there is nothing to judge.
    guard let bytes = try? folder.bytes("a.\(type)"), !bytes.isEmpty else { return }
    let info = try PictureReader.read(bytes)
    #expect(info.kind == (type == "heic" ? .heif : .avif))
    let shown = try await #require(PictureTool.identify).lines([
      "-format", "%w %h", folder.path("a.\(type)"),
    ])
    #expect(shown == ["\(info.uprightWidth) \(info.uprightHeight)"])
  }
}
