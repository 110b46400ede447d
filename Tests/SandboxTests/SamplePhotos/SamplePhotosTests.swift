import Foundation
import Sandbox
import SystemClients
import Testing

@Suite("The demo's photographs")
struct SamplePhotosTests {
  private static let exiftool = ProgramRunner.live.find("exiftool")
  private static let convert = ProgramRunner.live.find("convert")

  @Test("there are three different ones, small enough to be published without a tool")
  func three() {
    let all = SamplePhotos.all
    #expect(all.map(\.fileName) == ["evening-ridges.jpg", "moonlit-sea.jpg", "balloons.jpg"])
    #expect(Set(all.map(\.bytes)).count == 3)
    for (name, bytes) in all {
      #expect(bytes.count < 900_000, "\(name)")
      #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9])
    }
  }

  @Test(
    "each has camera notes and a position, and one lies on its side",
    .enabled(if: exiftool != nil, "exiftool is not installed"))
  func notes() async throws {
    for (name, bytes) in SamplePhotos.all {
      let result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: try #require(Self.exiftool),
          arguments: ["-j", "-n", "-validate", "-warning", "-a", "-"] + Self.tags.map { "-\($0)" },
          environment: ["PATH": "/usr/bin:/bin"], input: bytes, timeLimit: .seconds(60)))
      let read = try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]]
      let tags = try #require(read?.first)
      for tag in Self.tags { #expect(tags[tag] != nil, "\(name) \(tag)") }
      #expect(tags["Orientation"] as? Int == (name == "balloons.jpg" ? 6 : 1))
      #expect(tags["ImageWidth"] as? Int == 800 && tags["ImageHeight"] as? Int == 600)
    }
  }

  private static let tags = [
    "Make", "Model", "LensModel", "ExposureTime", "FNumber", "ISO", "FocalLengthIn35mmFormat",
    "Flash", "DateTimeOriginal", "OffsetTimeOriginal", "GPSLatitude", "GPSLongitude",
    "Orientation", "ImageWidth", "ImageHeight",
  ]

  @Test(
    "another program decodes each without complaint, and sees what was painted",
    .enabled(if: convert != nil, "ImageMagick is not installed"))
  func decodes() async throws {
    // A place in hundredths of the upright picture, and the colour painted there.
    let places: [(x: Int, y: Int, colour: Int)] = [
      (68, 42, 0xFFFBEA), (36, 24, 0xFDF8E4), (50, 3, 0x92C6E7),
    ]
    for ((name, bytes), place) in zip(SamplePhotos.all, places) {
      let (width, height) = name == "balloons.jpg" ? (600, 800) : (800, 600)
      let spot = "1x1+\(place.x * width / 100)+\(place.y * height / 100)"
      let result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: try #require(Self.convert),
          arguments: ["jpeg:-", "-auto-orient", "-crop", spot, "-depth", "8", "rgb:-"],
          environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "OMP_NUM_THREADS": "1"],
          input: bytes, timeLimit: .seconds(60)))
      #expect(result.status == 0)
      #expect(result.errorOutput == [], "\(String(decoding: result.errorOutput, as: UTF8.self))")
      let expected = [place.colour >> 16, place.colour >> 8 & 255, place.colour & 255]
      for (seen, painted) in zip(result.output, expected) {
        #expect(abs(Int(seen) - painted) <= 6, "\(name)")
      }
    }
  }
}
