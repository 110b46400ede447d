import GrainServices
import PhotoFile
import Sandbox
import Testing

@Suite("Preparing the demo's photographs")
struct SamplePhotoPreparationTests {
  @Test("they are published without any tool: upright, silent, their notes and place in hand")
  func prepared() async throws {
    let folder = try PictureFolder()
    for (name, bytes) in SamplePhotos.all {
      let source = try folder.write(bytes, to: name)
      let image = try await ImagePreparer(resizers: [])
        .prepare(source: source, output: folder.path("copy"))
      let size = name == "balloons.jpg" ? (600, 800) : (800, 600)
      #expect((image.width, image.height) == size)
      #expect(image.exif?.make == "Lumen" && image.exif?.exposureTime != nil)
      #expect(image.position != nil)
      let copy = try PictureReader.read(folder.bytes("copy"))
      #expect(copy.exif == nil && !copy.hasGPS)
      #expect((copy.uprightWidth, copy.uprightHeight) == size)
    }
  }
}
