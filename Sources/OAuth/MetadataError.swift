/// Why a server's metadata document cannot be used.
package enum MetadataError: Error, Equatable, Sendable {
  /// The body is no JSON object.
  case notAnObject
  /// A member is absent or has the wrong type.
  case missing(String)
  /// Two values that must be equal byte for byte are not; both are named (FB-A16).
  case mismatch(member: String, expected: String, found: String)
  /// A feature atproto requires is not offered: the member and what it must contain.
  case unsupported(member: String, value: String)
  /// An endpoint is not an https address.
  case insecure(member: String)
  /// The text is not an https origin in canonical spelling.
  case notAnIssuer(String)
  /// A protected resource must name exactly one authorization server; how many it names.
  case authorizationServers(count: Int)
}
