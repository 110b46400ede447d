import Foundation
import GrainTestSupport
import PhotoFile
import Testing

/// What cameras, telephones and editors really wrote, judged by exiftool and ImageMagick.
@Suite("Real photographs", .enabled(if: SharedData.isPresent, "\(SharedData.skipReason)"))
struct RealPhotoTests {
  private static let photos: [String] = {
    let names = FileManager.default.enumerator(atPath: SharedData.url("photos").path)?.allObjects
    return (names as? [String] ?? []).filter { $0.contains(".") }.sorted()
  }()

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: SharedData.url("photos/\(name)")))
  }

  @Test("every photograph of the collection is read, the damaged ones too")
  func allRead() throws {
    #expect(Self.photos.count >= 24)
    for name in Self.photos {
      let info = try PictureReader.read(try bytes(name))
      let kind: PictureKind =
        name.hasSuffix("heif") ? .heif : name.hasSuffix("tiff") ? .tiff : .jpeg
      #expect(info.kind == kind, "\(name)")
    }
  }

  @Test("the number in a test picture's name is its orientation (FB-D7)")
  func orientations() throws {
    let names = Self.photos.filter { $0.hasPrefix("orientation/") }
    #expect(names.count == 6)
    for name in names {
      let info = try PictureReader.read(try bytes(name))
      #expect("\(info.orientation)" == name.split(separator: "_").last?.prefix(1) ?? "", "\(name)")
      #expect((info.uprightWidth > info.uprightHeight) == name.contains("landscape"), "\(name)")
    }
  }

  @Test(
    "size, orientation, camera notes and position are those exiftool reads",
    .enabled(if: PictureTool.areAllPresent, "\(PictureTool.skipReason)"))
  func agreesWithExiftool() async throws {
    let tool = try #require(PictureTool.exiftool)
    for (name, tags) in try await Metadata.read(tool, folder: SharedData.url("photos").path) {
      let info = try PictureReader.read(try bytes(name))
      let notes = info.exif ?? PictureEXIF()
      #expect(info.width == tags.number("File:ImageWidth", "IFD0:ImageWidth", "Meta:ImageWidth"))
      #expect(
        info.height == tags.number("File:ImageHeight", "IFD0:ImageHeight", "Meta:ImageHeight"))
      #expect(info.orientation == tags.number("IFD0:Orientation") ?? 1, "\(name)")
      #expect(notes.make == tags.text("IFD0:Make"), "\(name)")
      #expect(notes.model == tags.text("IFD0:Model"), "\(name)")
      #expect(notes.lensModel == tags.text("ExifIFD:LensModel"), "\(name)")
      #expect(notes.dateTimeOriginal == tags.text("ExifIFD:DateTimeOriginal"), "\(name)")
      #expect(notes.iso == tags.number("ExifIFD:ISO"), "\(name)")
      #expect(notes.flash == tags.number("ExifIFD:Flash"), "\(name)")
      for (ours, theirs) in [
        (notes.exposureTime, "ExifIFD:ExposureTime"), (notes.fNumber, "ExifIFD:FNumber"),
        (notes.focalLengthIn35mm, "ExifIFD:FocalLengthIn35mmFormat"),
      ] { #expect(isClose(ours?.value, tags.value(theirs)), "\(name) \(theirs)") }
      #expect(isClose(info.position?.latitude, tags.value("Composite:GPSLatitude")), "\(name)")
      #expect(isClose(info.position?.longitude, tags.value("Composite:GPSLongitude")), "\(name)")
    }
  }

  @Test(
    "a stripped photograph has the same pixels and no metadata but its orientation (FB-D8)",
    .enabled(if: PictureTool.areAllPresent, "\(PictureTool.skipReason)"))
  func stripped() async throws {
    let (exiftool, identify) = (
      try #require(PictureTool.exiftool), try #require(PictureTool.identify)
    )
    let folder = try ScratchFolder()
    var originals: [String] = []
    for name in Self.photos where name.hasSuffix(".jpg") {
      let copy = try PictureStripper.strip(try bytes(name))
      #expect(try PictureStripper.strip(copy) == copy, "\(name)")
      try folder.write(copy, to: name.replacing("/", with: "-"))
      originals.append(SharedData.url("photos/\(name)").path)
    }
    let copies = Self.photos.filter { $0.hasSuffix(".jpg") }
      .map { folder.path($0.replacing("/", with: "-")) }
    let digest = ["-format", "%w %h %[colorspace] %#\\n"]
    let pixels = try await identify.lines(digest + originals)
    #expect(try await identify.lines(digest + copies) == pixels)
    for (name, tags) in try await Metadata.read(exiftool, folder: folder.url.path) {
      let harmless = ["File:", "JFIF:", "ICC", "Adobe:", "Composite:", "System:", "ExifTool:"]
      let telling = tags.names.filter { tag in
        tag.contains("GPS")
          || tag != "SourceFile" && tag != "IFD0:Orientation"
            && !harmless.contains(where: tag.hasPrefix)
      }
      #expect(telling == [], "\(name)")
    }
  }

  private func isClose(_ ours: Double?, _ theirs: Double?) -> Bool {
    guard let ours, let theirs else { return ours == nil && theirs == nil }
    return abs(ours - theirs) <= 1e-6 * max(1, abs(theirs))
  }
}
