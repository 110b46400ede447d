import Foundation

/// The plain base64 of `$bytes`: written without padding, read with or without.
enum Base64 {
  static func decode(_ text: String) -> [UInt8]? {
    let bare = text.utf8.last == UInt8(ascii: "=") ? text.replacing(/={1,2}$/, with: "") : text
    let padding = String(repeating: "=", count: (4 - bare.utf8.count % 4) % 4)
    guard !bare.contains("="), let data = Data(base64Encoded: bare + padding) else { return nil }
    return Array(data)
  }
}
