package import Foundation

/// A moment as records and views write it: ISO 8601 and RFC 3339 at once, time zone required.
///
/// The text is kept as it came (another client's record must survive an edit byte for byte);
/// ``date`` is the moment, to the millisecond or better. Source: atproto lexicon specification.
package struct ATDateTime: SyntaxText {
  /// As it was written.
  package let rawValue: String
  /// The moment meant.
  package let date: Date

  /// Reads a datetime; a moment that does not exist is malformed.
  package init(_ text: String) throws(SyntaxError) {
    guard let date = ATDateTime.parse(Array(text.utf8)) else { throw .malformed(.dateTime, text) }
    rawValue = text
    self.date = date
  }

  /// The preferred spelling of `date`: UTC, milliseconds, `Z`.
  package init(_ date: Date) {
    rawValue = ATDateTime.string(from: date)
    self.date = date
  }

  /// `yyyy-MM-ddTHH:mm:ss.SSSZ` in UTC, rounded to the nearest millisecond.
  package static func string(from date: Date) -> String {
    let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    let (days, rest) = milliseconds.quotientAndRemainder(floorDividingBy: 86_400_000)
    let (year, month, day) = CivilDate.fromDays(days)
    let fields: [(Int64, Int)] = [
      (year, 4), (month, 2), (day, 2), (rest / 3_600_000, 2), (rest / 60_000 % 60, 2),
      (rest / 1000 % 60, 2), (rest % 1000, 3),
    ]
    let text = fields.map { value, width in
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(text[0])-\(text[1])-\(text[2])T\(text[3]):\(text[4]):\(text[5]).\(text[6])Z"
  }

  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  private static func parse(_ text: [UInt8]) -> Date? {
    guard text.count >= 20, text.count <= 64 else { return nil }
    for (index, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] {
      guard text[index] == mark.utf8.first else { return nil }
    }
    guard let year = number(text[0..<4]), let month = number(text[5..<7]),
      let day = number(text[8..<10]),
      let hour = number(text[11..<13]), let minute = number(text[14..<16]),
      let second = number(text[17..<19]),
      (1...12).contains(month), day >= 1, day <= CivilDate.days(inMonth: month, of: year),
      hour < 24,
      minute < 60, second < 60
    else { return nil }

    var rest = text[19...]
    var fraction = 0.0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix(while: \.isDigit)
      guard (1...20).contains(digits.count),
        let value = Double("0." + String(decoding: digits, as: UTF8.self))
      else { return nil }
      fraction = value
      rest = rest.dropFirst(1 + digits.count)
    }
    guard let offset = offset(rest) else { return nil }
    let days = CivilDate.toDays(year, month, day)
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    // A zone may push the first hours of year 0 below it; such a moment has no spelling in UTC.
    guard seconds >= CivilDate.toDays(0, 1, 1) * 86_400 else { return nil }
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// Seconds east of UTC; `-00:00` (“unknown zone”) is not allowed.
  private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.elementsEqual("Z".utf8) { return 0 }
    let text = Array(text)
    guard text.count == 6, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
      text[3] == UInt8(ascii: ":"), let hours = number(text[1..<3]),
      let minutes = number(text[4..<6]),
      hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    if text[0] == UInt8(ascii: "+") { return seconds }
    return seconds == 0 ? nil : -seconds
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy(\.isDigit) else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
  }
}
