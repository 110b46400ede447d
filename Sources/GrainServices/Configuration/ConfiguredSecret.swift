package import OpenSSLCrypto

/// A secret that stands in a configuration file. Reads and writes as text; prints as nothing.
package struct ConfiguredSecret: Codable, Equatable, Sendable, CustomStringConvertible,
  CustomReflectable
{
  /// The secret.
  package let secret: Secret

  /// A secret of this text; by default none.
  package init(_ text: String = "") { secret = Secret(text: text) }

  /// Whether there is none.
  package var isEmpty: Bool { secret.count == 0 }

  /// Always the same words, whatever is inside.
  package var description: String { "ConfiguredSecret(redacted)" }

  /// Without children, so that `dump` sees nothing either.
  package var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Reads a text.
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text: only a configuration file is written with it.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(secret.revealText())
  }
}
