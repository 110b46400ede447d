/// The media type `application/x-www-form-urlencoded`, and the query part of a URL.
package enum FormURLEncoding {
  /// The media type.
  package static let mediaType = "application/x-www-form-urlencoded"

  /// The pairs as a form. Every byte but the unreserved ones of RFC 3986 §2.3 is `%XX`, space
  /// included, so that no reader can take a `+` for anything else (G119).
  package static func encode(_ pairs: [(String, String)]) -> [UInt8] {
    Array(encodeText(pairs).utf8)
  }

  /// The same, as text for a URL's query.
  package static func encodeText(_ pairs: [(String, String)]) -> String {
    pairs.map { "\(percentEncoded($0))=\(percentEncoded($1))" }.joined(separator: "&")
  }

  /// The pairs of a form, in order; `+` is a space. `nil` for a broken escape or for bytes that are
  /// no UTF-8.
  package static func decode(_ bytes: some Collection<UInt8>) -> [(String, String)]? {
    var pairs: [(String, String)] = []
    for part in bytes.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      guard let name = decoded(name), let value = decoded(value) else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }

  /// The pairs of a URL's query, without its question mark; as for a form.
  package static func decodeQuery(_ query: String) -> [(String, String)]? {
    decode(Array(query.utf8))
  }

  /// The text with every byte but the unreserved ones as `%XX` (RFC 3986 §2).
  package static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.append(byte)
      default:
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func decoded(_ bytes: some Collection<UInt8>) -> String? {
    var result: [UInt8] = []
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue)
        else { return nil }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    return String(validating: result, as: UTF8.self)
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    Character(Unicode.Scalar(digit)).isASCII
      ? Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init) : nil
  }
}
