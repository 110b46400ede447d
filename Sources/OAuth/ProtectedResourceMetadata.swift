package import StrictJSON

/// What a resource server (a PDS) says about where its tokens come from.
///
/// - SeeAlso: RFC 9728, atproto-wire §3.1
package struct ProtectedResourceMetadata: Sendable, Equatable {
  /// The resource server's own origin.
  package let resource: String
  /// The one authorization server it trusts.
  package let authorizationServer: Issuer

  /// Reads a document.
  ///
  /// - `origin`: of the server the document came from; `resource` must equal it.
  /// - `allowInsecureLoopback`: development only: an http issuer on a loopback host.
  /// - Throws: ``MetadataError``. One trailing slash of the authorization server is dropped (FB-A16).
  package init(
    json: JSONValue, origin: String, allowInsecureLoopback: Bool = false
  ) throws(MetadataError) {
    guard let members = json.objectValue else { throw .notAnObject }
    let document = MetadataDocument(members: members, allowInsecureLoopback: allowInsecureLoopback)
    resource = try document.string("resource")
    guard resource == origin else {
      throw .mismatch(member: "resource", expected: origin, found: resource)
    }
    guard let servers = members["authorization_servers"]?.arrayValue else {
      throw .missing("authorization_servers")
    }
    guard servers.count == 1 else { throw .authorizationServers(count: servers.count) }
    guard let name = servers[0].stringValue else { throw .missing("authorization_servers") }
    authorizationServer = try Issuer(
      name.hasSuffix("/") ? String(name.dropLast()) : name,
      allowInsecureLoopback: allowInsecureLoopback)
  }
}
