import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import PhotoFile
import Testing

@Suite("What a camera noted, as a record says it")
struct PhotoEXIFTests {
  private let zone = TimeZone(secondsFromGMT: 2 * 3600) ?? .gmt

  private func exif(_ edit: (inout PictureEXIF) -> Void) -> PhotoEXIF? {
    var picture = PictureEXIF()
    edit(&picture)
    return PhotoEXIF(picture, zone: zone)
  }

  @Test("nothing noted is no record")
  func nothing() {
    #expect(exif { _ in } == nil)
  }

  @Test("numbers keep the camera's units; scaled they are rounded, not cut (grain-product §14)")
  func numbers() throws {
    let exif = try #require(
      exif {
        $0.exposureTime = PictureRational(1, over: 60)
        $0.fNumber = PictureRational(41, over: 10)
        $0.iso = 400
        $0.focalLengthIn35mm = PictureRational(35)
      })
    #expect(exif.exposureTime.flatMap(PhotoEXIF.scaled) == 16667)
    #expect(exif.fNumber.flatMap(PhotoEXIF.scaled) == 4_100_000)
    #expect(exif.iSO.flatMap(PhotoEXIF.scaled) == 400_000_000)
    #expect(exif.focalLengthIn35mmFormat.flatMap(PhotoEXIF.scaled) == 35_000_000)
  }

  @Test("a lens without a maker was made by the camera's (grain-product §14)")
  func lensMaker() {
    let phone = exif {
      $0.make = "Apple"
      $0.lensModel = "back camera"
    }
    #expect(phone?.lensMake == "Apple")
    let other = exif {
      $0.make = "SONY"
      $0.lensMake = "Sigma"
    }
    #expect(other?.lensMake == "Sigma")
    #expect(exif { $0.lensModel = "35mm" }?.lensMake == nil)
  }

  @Test(
    "the flash is told in words",
    arguments: [
      (0, "Flash did not fire"), (16, "Flash did not fire"), (1, "Flash fired"),
      (5, "Flash fired, return not detected"), (7, "Flash fired, return detected"),
      (24, "Auto mode, flash did not fire"), (25, "Auto mode, flash fired"), (9, "Unknown (9)"),
    ])
  func flash(value: Int, words: String) {
    #expect(exif { $0.flash = value }?.flash == words)
  }

  @Test("the moment is in UTC: by the camera's offset, else by this machine's zone")
  func moment() {
    func moment(_ offset: String?) -> String? {
      exif {
        $0.dateTimeOriginal = "2025:09:14 19:42:10"
        $0.offsetTimeOriginal = offset
      }?.dateTimeOriginal?.rawValue
    }
    #expect(moment(nil) == "2025-09-14T17:42:10.000Z")
    #expect(moment("+00:00") == "2025-09-14T19:42:10.000Z")
    #expect(moment("-03:30") == "2025-09-14T23:12:10.000Z")
    #expect(moment("+05:45") == "2025-09-14T13:57:10.000Z")
    #expect(moment("nonsense") == "2025-09-14T17:42:10.000Z")
  }

  @Test("a moment that is none is left out")
  func noMoment() {
    #expect(exif { $0.dateTimeOriginal = "0000:00:00" } == nil)
  }
}
