import Foundation
import GrainServices
import GrainTestSupport
import PhotoFile
import SystemClients
import Testing

@Suite(
  "Preparing what cameras wrote",
  .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
struct CollectionPreparationTests {
  private static let names =
    (try? FileManager.default.subpathsOfDirectory(
      atPath: SharedData.url("photos").path))?.filter { $0.contains(".") }.sorted() ?? []
  private static let resizers = ImageResizer.programs(.live)

  @Test(
    "every photograph is published, also one whose notes are damaged: within the limits, silent",
    arguments: names)
  func prepared(name: String) async throws {
    let folder = try PictureFolder()
    let original = try PictureReader.read(
      Array(try Data(contentsOf: SharedData.url("photos/\(name)"))))
    let needsTool =
      [.heif, .tiff].contains(original.kind) || max(original.width, original.height) > 2000
    if needsTool, ProgramRunner.live.find("vipsthumbnail") == nil { return }
    let image: PreparedImage
    do throws(ImagePreparationError) {
      image = try await ImagePreparer(resizers: Self.resizers)
        .prepare(source: SharedData.url("photos/\(name)").path, output: folder.path("copy"))
    } catch {
      // HEIF depends on how the tool was built.
      #expect(original.kind == .heif, "\(name): \(error)")
      return
    }
    let bytes = try folder.bytes("copy")
    let copy = try PictureReader.read(bytes)
    #expect(bytes.count <= 900_000 && max(copy.width, copy.height) <= 2000)
    #expect(copy.exif == nil && !copy.hasGPS)
    #expect((image.width > image.height) == (original.uprightWidth > original.uprightHeight))
    #expect((image.width, image.height) == (copy.uprightWidth, copy.uprightHeight))
  }
}
