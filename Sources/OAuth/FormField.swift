package import OpenSSLCrypto

/// One field of a form sent to an OAuth endpoint.
package struct FormField: Sendable {
  /// The field's name.
  package let name: String
  /// The field's value.
  package let value: Secret
  /// Whether the value must not come back to us in an error's words.
  package let isSecret: Bool

  /// A field anybody may see.
  package static func plain(_ name: String, _ value: String) -> FormField {
    FormField(name: name, value: Secret(text: value), isSecret: false)
  }

  /// A code, verifier or token.
  package static func secret(_ name: String, _ value: Secret) -> FormField {
    FormField(name: name, value: value, isSecret: true)
  }
}
