import Foundation
import GrainTestSupport
import OAuth
import StrictJSON
import Testing

@Suite("What servers publish about themselves")
struct MetadataTests {
  private static let lacking: [(String, JSONValue?, String)] = [
    ("require_pushed_authorization_requests", false, "true"),
    ("authorization_response_iss_parameter_supported", nil, "true"),
    ("client_id_metadata_document_supported", "true", "true"),
    ("require_request_uri_registration", false, "true"),
    ("response_types_supported", ["token"], "code"),
    ("grant_types_supported", ["refresh_token"], "authorization_code"),
    ("grant_types_supported", ["authorization_code"], "refresh_token"),
    ("code_challenge_methods_supported", ["plain"], "S256"),
    ("token_endpoint_auth_methods_supported", nil, "none"),
    ("dpop_signing_alg_values_supported", ["ES256K"], "ES256"),
    ("scopes_supported", [], "atproto"),
  ]

  private let complete = """
    {"issuer":"https://as.test","authorization_endpoint":"https://as.test/oauth/authorize",
    "token_endpoint":"https://as.test/oauth/token",
    "pushed_authorization_request_endpoint":"https://as.test/oauth/par",
    "revocation_endpoint":"https://as.test/oauth/revoke",
    "require_pushed_authorization_requests":true,"require_request_uri_registration":true,
    "authorization_response_iss_parameter_supported":true,
    "client_id_metadata_document_supported":true,"response_types_supported":["code"],
    "grant_types_supported":["authorization_code","refresh_token"],
    "code_challenge_methods_supported":["S256"],"scopes_supported":["atproto"],
    "token_endpoint_auth_methods_supported":["none","private_key_jwt"],
    "dpop_signing_alg_values_supported":["ES256"],"protected_resources":["https://pds.test"]}
    """

  private func server(
    changing member: String? = nil, to value: JSONValue? = nil, development: Bool = false
  ) throws -> AuthorizationServerMetadata {
    var members = try #require(try OAuthFixture.json(complete).objectValue)
    if let member { members[member] = value }
    return try AuthorizationServerMetadata(
      json: .object(members), issuer: Issuer("https://as.test"), allowInsecureLoopback: development)
  }

  @Test("a complete document is accepted; optional parts may be absent")
  func accepted() throws {
    let metadata = try server()
    #expect(metadata.tokenEndpoint.absoluteString == "https://as.test/oauth/token")
    #expect(metadata.covers(resource: "https://pds.test"))
    #expect(!metadata.covers(resource: "https://other.test"))
    let bare = try server(changing: "revocation_endpoint")
    #expect(bare.revocationEndpoint == nil)
    #expect(try server(changing: "protected_resources").covers(resource: "https://any.test"))
    #expect(try server(changing: "require_request_uri_registration") == metadata)
  }

  @Test(
    "the issuer is compared byte for byte (G14, G75, FB-A16)",
    arguments: [
      "https://as.test/", "https://AS.test", "https://as.test:443", "https://other.test",
      "https://as.test/x",
    ])
  func issuer(name: String) {
    #expect(
      throws: MetadataError.mismatch(member: "issuer", expected: "https://as.test", found: name)
    ) { try server(changing: "issuer", to: .string(name)) }
  }

  @Test(
    "a server that lacks what atproto needs is refused before any browser opens",
    arguments: Self.lacking)
  func unsupported(member: String, value: JSONValue?, lacking: String) {
    #expect(throws: MetadataError.unsupported(member: member, value: lacking)) {
      try server(changing: member, to: value)
    }
  }

  @Test(
    "endpoints are https, so that a browser is never sent to anything else",
    arguments: [
      "javascript:alert(1)", "file:///etc/passwd", "http://as.test/x", "/oauth/authorize",
      "https://u@as.test/", "social.grain:/x", "https://as.test/#x",
    ])
  func endpoints(address: String) {
    for member in [
      "authorization_endpoint", "token_endpoint", "pushed_authorization_request_endpoint",
      "revocation_endpoint",
    ] {
      #expect(throws: MetadataError.insecure(member: member)) {
        try server(changing: member, to: .string(address), development: true)
      }
    }
  }

  @Test("missing members are named; something else than an object is no document")
  func missing() {
    for member in ["issuer", "authorization_endpoint", "token_endpoint"] {
      #expect(throws: MetadataError.missing(member)) { try server(changing: member) }
      #expect(throws: MetadataError.missing(member)) { try server(changing: member, to: 7) }
    }
    #expect(throws: MetadataError.notAnObject) {
      try AuthorizationServerMetadata(json: [], issuer: Issuer("https://as.test"))
    }
  }

  @Test(
    "a list of protected resources that is no list of texts is refused, not taken for none",
    arguments: ["https://pds.test", 7, .null, [7], ["https://pds.test", .null], [:]] as [JSONValue])
  func protectedResources(value: JSONValue) {
    #expect(throws: MetadataError.missing("protected_resources")) {
      try server(changing: "protected_resources", to: value)
    }
  }

  private func resource(
    _ servers: String, resource: String = "https://pds.test", development: Bool = false
  ) throws -> ProtectedResourceMetadata {
    try ProtectedResourceMetadata(
      json: OAuthFixture.json(#"{"resource":"\#(resource)","authorization_servers":\#(servers)}"#),
      origin: "https://pds.test", allowInsecureLoopback: development)
  }

  @Test("a home server names one authorization server; one trailing slash is dropped (FB-A16)")
  func oneServer() throws {
    #expect(
      try resource(#"["https://as.test/"]"#).authorizationServer.rawValue == "https://as.test")
    #expect(throws: MetadataError.authorizationServers(count: 0)) { try resource("[]") }
    #expect(throws: MetadataError.authorizationServers(count: 2)) {
      try resource(#"["https://a.test","https://b.test"]"#)
    }
    #expect(throws: MetadataError.missing("authorization_servers")) { try resource("null") }
    #expect(throws: MetadataError.missing("authorization_servers")) { try resource("[7]") }
  }

  @Test("a home server's document must be its own")
  func ownResource() {
    for other in ["https://pds.test/", "https://other.test", "https://pds.test:443"] {
      #expect(
        throws: MetadataError.mismatch(
          member: "resource", expected: "https://pds.test", found: other)
      ) { try resource(#"["https://as.test"]"#, resource: other) }
    }
  }

  @Test(
    "an issuer is an https origin in canonical spelling",
    arguments: [
      "https://as.test//", "https://AS.test", "https://as.test/path", "https://as.test:443",
      "https://as.test?x", "https://u@as.test", "http://as.test", "as.test", "", "https://",
      "http://localhost:2583",
    ])
  func issuerSpelling(name: String) {
    #expect(throws: MetadataError.self) { try Issuer(name) }
  }

  @Test("in development an issuer may be at http on this machine")
  func localIssuer() throws {
    let name = "http://localhost:2583"
    #expect(try Issuer(name, allowInsecureLoopback: true).rawValue == name)
    #expect(try resource(#"["\#(name)/"]"#, development: true).authorizationServer.rawValue == name)
  }

  @Test(
    "documents as real servers serve them are accepted",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)),
    arguments: [
      ("bsky-entryway", "morel", "https://bsky.social", "https://morel.us-east.host.bsky.network"),
      ("indie", "indie", "https://pds.robocracy.org", "https://pds.robocracy.org"),
    ])
  func published(server: String, resource: String, issuer: String, origin: String) throws {
    func document(_ name: String) throws -> JSONValue {
      let url = SharedData.url("atproto/metadata/\(name).json")
      return try JSONParser.parse(Array(Data(contentsOf: url)))
    }
    let home = try ProtectedResourceMetadata(
      json: document("\(resource)-protected-resource"), origin: origin)
    #expect(home.authorizationServer.rawValue == issuer)
    let metadata = try AuthorizationServerMetadata(
      json: document("\(server)-authorization-server"), issuer: home.authorizationServer)
    #expect(metadata.revocationEndpoint != nil)
    #expect(metadata.covers(resource: origin))
  }
}
