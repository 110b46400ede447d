/// A file's address as shells load it.
enum FileURI {
  private static let scheme = "file://"
  private static let isPlain: [Bool] = {
    let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8
    var table = [Bool](repeating: false, count: 256)
    for byte in plain { table[Int(byte)] = true }
    return table
  }()

  /// `file:` and the absolute path, percent-encoded as RFC 3986 wants it.
  static func text(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text = Array(scheme.utf8)
    for byte in path.utf8 {
      if isPlain[Int(byte)] {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
