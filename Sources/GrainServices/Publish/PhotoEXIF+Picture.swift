import ATSyntax
package import Foundation
package import GrainLexicon
package import PhotoFile

extension PhotoEXIF {
  /// What of a picture's camera notes may be published: never a position.
  ///
  /// `nil` when nothing is left, which means no record (grain-product §14).
  ///
  /// - Parameters:
  ///   - picture: the notes as the file holds them.
  ///   - zone: where the camera's clock is read when the file names no offset.
  package init?(_ picture: PictureEXIF, zone: TimeZone = .current) {
    self.init(
      dateTimeOriginal: picture.dateTimeOriginal.flatMap {
        Self.moment($0, offset: picture.offsetTimeOriginal, zone: zone)
      },
      exposureTime: picture.exposureTime?.value, fNumber: picture.fNumber?.value,
      flash: picture.flash.map(Self.flashText),
      focalLengthIn35mmFormat: picture.focalLengthIn35mm?.value, iSO: picture.iso.map(Double.init),
      // Few cameras name who made the lens that came with them (grain-product §14).
      lensMake: picture.lensMake ?? picture.make, lensModel: picture.lensModel, make: picture.make,
      model: picture.model)
    if isEmpty { return nil }
  }

  /// The flash tag's bits in words; the ones cameras write most. Source: grain-product §14.
  static func flashText(_ value: Int) -> String {
    switch value {
    case 0, 16: "Flash did not fire"
    case 1: "Flash fired"
    case 5: "Flash fired, return not detected"
    case 7: "Flash fired, return detected"
    case 24: "Auto mode, flash did not fire"
    case 25: "Auto mode, flash fired"
    default: "Unknown (\(value))"
    }
  }

  private static func moment(_ text: String, offset: String?, zone: TimeZone) -> ATDateTime? {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count == 6 else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = offset.flatMap(Self.zone) ?? zone
    let parts = DateComponents(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
      second: numbers[5])
    return calendar.date(from: parts).map { ATDateTime($0) }
  }

  /// `+hh:mm` as a zone.
  private static func zone(_ offset: String) -> TimeZone? {
    let numbers = offset.dropFirst().split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2 else { return nil }
    let seconds = numbers[0] * 3600 + numbers[1] * 60
    return TimeZone(secondsFromGMT: offset.hasPrefix("-") ? -seconds : seconds)
  }
}
