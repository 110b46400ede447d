/// Why a key or a signed text was refused.
package enum JOSEError: Error, Equatable, Sendable {
  /// Not a public P-256 key, or one with damaged coordinates.
  case invalidKey
  /// A key that carries its secret half where only the public one belongs.
  case privateKey
  /// Not three base64url parts with a JSON object in front.
  case malformed
  /// A header that asks for something other than ES256, or for an extension we do not know.
  case unsupported
  /// A payload that is not a JSON object of claims.
  case invalidClaims
}
