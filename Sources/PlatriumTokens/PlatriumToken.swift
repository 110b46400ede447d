package import OpenSSLCrypto

/// The one credential of a Platrium client: `plt_` and at least 256 random bits (P1–P3).
///
/// It is shown by the server once, never expires by itself and cannot be refreshed; a 401 means that it
/// is gone (P5, P9). Printing one shows nothing.
package struct PlatriumToken: Equatable, Sendable {
  /// The text does not look like a token.
  package struct Invalid: Error, Equatable, Sendable {}

  /// What every token begins with.
  package static let prefix = "plt_"
  /// base64url of 32 bytes.
  private static let leastRandomCharacters = 43

  /// The whole text, for the vault and for ``authorization``.
  package let secret: Secret

  /// Takes a token as a server sent it or as a person pasted it; white space around it is dropped.
  package init(_ text: String) throws(Invalid) {
    let text = text.trimmed
    let random = text.dropFirst(Self.prefix.count)
    guard
      text.hasPrefix(Self.prefix), random.utf8.count >= Self.leastRandomCharacters,
      random.utf8.count <= 512, random.utf8.allSatisfy(\.isURLSafe)
    else { throw Invalid() }
    secret = Secret(text: text)
  }

  /// The value of an `Authorization` field.
  package var authorization: Secret { Secret(text: "Bearer \(secret.revealText())") }

  /// What a GraphQL subscription sends as the payload of `connection_init` (P31). A secret.
  package var connectionInitPayload: [String: Secret] { ["Authorization": authorization] }
}

extension String {
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension UInt8 {
  /// A letter, a digit, `-` or `_`.
  fileprivate var isURLSafe: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}
