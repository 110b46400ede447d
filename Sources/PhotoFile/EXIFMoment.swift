/// Dates as cameras write them, brought into the one shape the rest of the core reads.
enum EXIFMoment {
  /// `yyyy:MM:dd HH:mm:ss` from that shape or its cousins (`-`, `/`, `T`); `nil` for blanks,
  /// zeros and values no calendar has.
  static func dateTime(_ text: String) -> String? {
    let digits = Array(text.utf8.prefix(19))
    guard digits.count == 19,
      let year = number(digits[0..<4]), let month = number(digits[5..<7]),
      let day = number(digits[8..<10]), let hour = number(digits[11..<13]),
      let minute = number(digits[14..<16]), let second = number(digits[17..<19]),
      year > 0, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
      second < 60
    else { return nil }
    let between = [4, 7, 10, 13, 16].map { digits[$0] }
    guard between.allSatisfy({ Array(":-/ T.".utf8).contains($0) }) else { return nil }
    func piece(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    return "\(piece(0..<4)):\(piece(5..<7)):\(piece(8..<10)) "
      + "\(piece(11..<13)):\(piece(14..<16)):\(piece(17..<19))"
  }

  /// `+hh:mm` or `-hh:mm`; `Z` is taken as `+00:00`; `nil` for blanks and other shapes.
  static func offset(_ text: String) -> String? {
    if text == "Z" { return "+00:00" }
    let digits = Array(text.utf8)
    guard digits.count == 6, digits[3] == UInt8(ascii: ":"),
      digits[0] == UInt8(ascii: "+") || digits[0] == UInt8(ascii: "-"),
      let hours = number(digits[1..<3]), let minutes = number(digits[4..<6]),
      hours <= 14, minutes < 60
    else { return nil }
    return text
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }
}
