/// The character classes the grammars of this room are made of.
extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  var isLowercaseLetter: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
  var isUppercaseLetter: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  var isLetter: Bool { isLowercaseLetter || isUppercaseLetter }
  var isLetterOrDigit: Bool { isLetter || isDigit }
  var isUppercaseHexDigit: Bool {
    isDigit || (self >= UInt8(ascii: "A") && self <= UInt8(ascii: "F"))
  }
}

extension Collection<UInt8> {
  /// A domain label: 1–63 letters, digits and hyphens, no hyphen at either end.
  var isDomainLabel: Bool {
    guard let first, count <= 63, first.isLetterOrDigit else { return false }
    return allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
      && suffix(1).allSatisfy(\.isLetterOrDigit)
  }
}
