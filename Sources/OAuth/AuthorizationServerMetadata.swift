package import Foundation
package import StrictJSON

/// What an authorization server says about itself, accepted only with everything atproto needs.
///
/// - SeeAlso: RFC 8414, atproto-wire §3.3
package struct AuthorizationServerMetadata: Sendable, Equatable {
  /// The name the document was fetched under, repeated by the document.
  package let issuer: Issuer
  /// What the browser opens.
  package let authorizationEndpoint: URL
  /// Where codes and refresh tokens are exchanged.
  package let tokenEndpoint: URL
  /// Where authorization requests are pushed.
  package let pushedAuthorizationRequestEndpoint: URL
  /// Where tokens are revoked, if the server offers it.
  package let revocationEndpoint: URL?
  /// The resource servers it speaks for, where it lists them.
  package let protectedResources: [String]?
  /// The `prompt` values it takes; none where it does not say.
  package let promptValues: [String]

  /// Reads a document.
  ///
  /// - `issuer`: under which name it was fetched; the document must repeat it byte for byte, or another
  ///   server's document would pass for this one's (G14).
  /// - `allowInsecureLoopback`: development only: http to loopback hosts.
  /// - Throws: ``MetadataError``.
  package init(
    json: JSONValue, issuer: Issuer, allowInsecureLoopback: Bool = false
  ) throws(MetadataError) {
    guard let members = json.objectValue else { throw .notAnObject }
    let document = MetadataDocument(members: members, allowInsecureLoopback: allowInsecureLoopback)
    let name = try document.string("issuer")
    guard name == issuer.rawValue else {
      throw .mismatch(member: "issuer", expected: issuer.rawValue, found: name)
    }
    self.issuer = issuer
    authorizationEndpoint = try document.endpoint("authorization_endpoint")
    tokenEndpoint = try document.endpoint("token_endpoint")
    pushedAuthorizationRequestEndpoint = try document.endpoint(
      "pushed_authorization_request_endpoint")
    revocationEndpoint =
      members["revocation_endpoint"] == nil
      ? nil : try document.endpoint("revocation_endpoint")
    protectedResources = try document.optionalStrings("protected_resources")
    promptValues = members["prompt_values_supported"]?.arrayValue?.compactMap(\.stringValue) ?? []

    for member in [
      "client_id_metadata_document_supported", "require_pushed_authorization_requests",
      "authorization_response_iss_parameter_supported",
    ] where members[member]?.boolValue != true {
      throw .unsupported(member: member, value: "true")
    }
    if members["require_request_uri_registration"]?.boolValue == false {
      throw .unsupported(member: "require_request_uri_registration", value: "true")
    }
    for (member, value) in [
      ("response_types_supported", "code"), ("grant_types_supported", "authorization_code"),
      ("grant_types_supported", "refresh_token"), ("code_challenge_methods_supported", "S256"),
      ("token_endpoint_auth_methods_supported", "none"),
      ("dpop_signing_alg_values_supported", "ES256"), ("scopes_supported", "atproto"),
    ] where members[member]?.arrayValue?.contains(.string(value)) != true {
      throw .unsupported(member: member, value: value)
    }
  }

  /// Whether the server speaks for a resource server: it lists it, or lists none.
  package func covers(resource: String) -> Bool {
    protectedResources?.contains(resource) ?? true
  }
}

/// Reads members of a metadata document, naming the one that is wrong.
struct MetadataDocument {
  let members: JSONObject
  let allowInsecureLoopback: Bool

  func string(_ member: String) throws(MetadataError) -> String {
    guard let text = members[member]?.stringValue, !text.isEmpty else { throw .missing(member) }
    return text
  }

  /// A list that may be absent; one of another type is not taken for none, or a check it stands for
  /// would not be made.
  func optionalStrings(_ member: String) throws(MetadataError) -> [String]? {
    guard let value = members[member] else { return nil }
    guard let list = value.arrayValue else { throw .missing(member) }
    let texts = list.compactMap(\.stringValue)
    guard texts.count == list.count else { throw .missing(member) }
    return texts
  }

  func endpoint(_ member: String) throws(MetadataError) -> URL {
    let text = try string(member)
    guard let url = EndpointURL.parse(text, allowInsecureLoopback: allowInsecureLoopback) else {
      throw .insecure(member: member)
    }
    return url
  }
}
