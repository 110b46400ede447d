import Foundation
import HTTPTransport
import JOSE
import StrictJSON

/// What the authorization server knows of a client: its metadata, checked.
///
/// - SeeAlso: draft-ietf-oauth-client-id-metadata-document, atproto-wire §4
struct ClientDocument: Equatable, Sendable {
  let id: String
  let name: String?
  let uri: String?
  let redirectURIs: [String]
  /// The scope items the client may ask for, as written.
  let scope: [String]
  let grantTypes: [String]
  /// How the client shows that it is itself.
  let authentication: Authentication
  /// The keys of a confidential client, by their ids.
  private(set) var keys: [String: JWK] = [:]
  /// atproto's `http://localhost` form, for which nothing is fetched.
  let isDevelopment: Bool

  /// Whether a client can keep a secret, and where its keys are.
  enum Authentication: Equatable, Sendable {
    /// A public client: no authentication.
    case none
    /// Assertions signed with a key of the document itself.
    case ownKeys
    /// Assertions signed with a key of the set at that address.
    case keys(at: String)
  }

  /// Reads a document fetched from `clientID`.
  ///
  /// - Throws: `invalid_client_metadata` or `invalid_redirect_uri` with the first rule broken.
  init(_ json: JSONObject, clientID: String) throws(OAuthRefusal) {
    func list(_ name: String, default fallback: [String]) throws(OAuthRefusal) -> [String] {
      guard let value = json[name] else { return fallback }
      let texts = value.arrayValue?.map(\.stringValue)
      guard let texts, !texts.contains(nil) else {
        throw .invalidClientMetadata("Validation of \"\(name)\" failed with error: Expected array")
      }
      return texts.compactMap(\.self)
    }
    guard let id = json["client_id"]?.stringValue else {
      throw .invalidClientMetadata("client_id is required for discoverable clients")
    }
    guard id == clientID else { throw .invalidClientMetadata("client_id does not match") }
    self.id = id
    name = json["client_name"]?.stringValue
    uri = json["client_uri"]?.stringValue
    scope = try Self.scope(json["scope"]?.stringValue)
    grantTypes = try Self.grantTypes(list("grant_types", default: ["authorization_code"]))
    redirectURIs = try list("redirect_uris", default: [])
    isDevelopment = false
    let isNative = json["application_type"]?.stringValue == "native"
    authentication = try Self.authentication(json, isNative: isNative)
    if let set = json["jwks"] { addKeys(set) }
    try Self.checkResponseTypes(list("response_types", default: ["code"]))
    guard json["dpop_bound_access_tokens"]?.boolValue == true else {
      throw .invalidClientMetadata("\"dpop_bound_access_tokens\" must be true")
    }
    try Self.checkRedirects(redirectURIs, isNative: isNative, clientID: clientID)
    if let uri { try Self.checkHomePage(uri, clientID: clientID) }
  }

  /// atproto's development client: everything it is stands in its id (atproto-wire §4.3).
  init(developmentID id: String) throws(OAuthRefusal) {
    let rest = id.dropFirst("http://localhost".count)
    guard let form = rest.wholeMatch(of: /\/?(?:\?([^#]*))?/) else {
      throw .invalidClientMetadata("Invalid loopback client ID: Value must not contain a path")
    }
    var redirects: [String] = []
    var scope: String?
    guard let fields = FormURLEncoding.decodeQuery(String(form.1 ?? "")) else {
      throw .invalidClientMetadata("Invalid loopback client ID: Invalid query")
    }
    for (name, value) in fields {
      switch name {
      case "redirect_uri": redirects.append(value)
      case "scope" where scope == nil: scope = value
      case "scope":
        throw .invalidClientMetadata("Invalid loopback client ID: Duplicate scope parameter")
      default:
        throw .invalidClientMetadata(
          "Invalid loopback client ID: Unexpected query parameter \"\(name)\"")
      }
    }
    self.id = id
    name = nil
    uri = nil
    self.scope = try Self.scope(scope ?? "atproto")
    grantTypes = ["authorization_code", "refresh_token"]
    redirectURIs = redirects.isEmpty ? ["http://127.0.0.1/", "http://[::1]/"] : redirects
    isDevelopment = true
    authentication = .none
    for redirect in redirectURIs {
      guard let target = Self.target(redirect), case .loopback = target else {
        throw .invalidClientMetadata("Loopback clients must use loopback redirect URIs")
      }
    }
  }

  /// Takes the keys of a set that can sign here; the rest of a set is other servers' business.
  mutating func addKeys(_ set: JSONValue) {
    for key in set["keys"]?.arrayValue ?? [] {
      guard let id = key["kid"]?.stringValue else { continue }
      do { keys[id] = try JWK(json: key) } catch { continue }
    }
  }

  private static func target(_ redirect: String) -> RedirectTarget? {
    do { return try RedirectTarget(redirect) } catch { return nil }
  }

  // MARK: Rules

  private static func scope(_ written: String?) throws(OAuthRefusal) -> [String] {
    guard let written else { throw .invalidClientMetadata("Missing scope property") }
    guard ScopeText.isWellFormed(written) else {
      throw .invalidClientMetadata("Validation of \"scope\" failed with error: Invalid scope")
    }
    let items = ScopeText.items(written)
    guard items.contains("atproto") else {
      throw .invalidClientMetadata("Missing \"atproto\" scope")
    }
    var seen: Set<String> = []
    if let twice = items.first(where: { !seen.insert($0).inserted }) {
      throw .invalidClientMetadata("Duplicate scope \"\(twice)\"")
    }
    return items
  }

  private static func grantTypes(_ types: [String]) throws(OAuthRefusal) -> [String] {
    for type in types where type != "authorization_code" && type != "refresh_token" {
      throw .invalidClientMetadata("Grant type \"\(type)\" is not supported")
    }
    guard types.contains("authorization_code") else {
      throw .invalidClientMetadata(
        "Response type \"code\" requires the \"authorization_code\" grant type")
    }
    return types
  }

  private static func authentication(
    _ json: JSONObject, isNative: Bool
  ) throws(OAuthRefusal) -> Authentication {
    let algorithm = json["token_endpoint_auth_signing_alg"]
    switch json["token_endpoint_auth_method"]?.stringValue {
    case nil:
      throw .invalidClientMetadata("Missing token_endpoint_auth_method client metadata")
    case "none":
      guard algorithm == nil else {
        throw .invalidClientMetadata(
          "token_endpoint_auth_method \"none\" must not have token_endpoint_auth_signing_alg")
      }
      return .none
    case "private_key_jwt" where !isNative:
      guard algorithm == "ES256" else {
        throw .invalidClientMetadata(
          algorithm == nil
            ? "Missing token_endpoint_auth_signing_alg client metadata"
            : "Unsupported token_endpoint_auth_signing_alg")
      }
      switch (json["jwks"], json["jwks_uri"]?.stringValue) {
      case (.some, .some):
        throw .invalidClientMetadata("jwks_uri and jwks are mutually exclusive")
      case (.some, nil): return .ownKeys
      case (nil, let address?): return .keys(at: address)
      case (nil, nil):
        throw .invalidClientMetadata("private_key_jwt auth method requires jwks or jwks_uri")
      }
    case "private_key_jwt":
      throw .invalidClientMetadata("Native clients must authenticate using \"none\" method")
    case let method?:
      throw .invalidClientMetadata(
        "\(method) is not a supported \"token_endpoint_auth_method\"."
          + " Use \"private_key_jwt\" or \"none\".")
    }
  }

  private static func checkResponseTypes(_ types: [String]) throws(OAuthRefusal) {
    for type in types where type != "code" {
      throw .invalidClientMetadata("Unsupported response type \"\(type)\"")
    }
    guard !types.isEmpty else {
      throw .invalidClientMetadata("The \"code\" response type is required")
    }
  }

  private static func checkRedirects(
    _ redirects: [String], isNative: Bool, clientID: String
  ) throws(OAuthRefusal) {
    guard !redirects.isEmpty else {
      throw .invalidClientMetadata("At least one redirect_uri is required")
    }
    let host = URL(string: clientID)?.host()?.lowercased() ?? ""
    let ownScheme = host.split(separator: ".").reversed().joined(separator: ".")
    for redirect in redirects {
      switch try RedirectTarget(redirect) {
      case .loopback where !isNative:
        throw .invalidRedirectURI("Loopback redirect URIs are only allowed for native apps")
      case .privateUse where !isNative:
        throw .invalidRedirectURI(
          "Private-Use URI Scheme redirect URI are only allowed for native apps")
      case .privateUse(let scheme) where scheme != ownScheme:
        throw .invalidRedirectURI(
          "Private-Use URI Scheme redirect URI, for discoverable client metadata, must be the"
            + " fully qualified domain name (FQDN) of the client_id, in reverse order"
            + " (\(ownScheme):)")
      case .https(let redirectHost) where redirectHost != host:
        throw .invalidRedirectURI(
          "Redirect URI \(redirect) must be under the same domain as client_id \(clientID)")
      case .loopback, .privateUse, .https: break
      }
    }
  }

  private static func checkHomePage(_ uri: String, clientID: String) throws(OAuthRefusal) {
    guard let home = URL(string: uri), let id = URL(string: clientID),
      home.scheme == id.scheme, home.host() == id.host(), home.port == id.port
    else {
      throw .invalidClientMetadata("client_uri must have the same origin as the client_id")
    }
    let homePath = home.path()
    let isParent =
      homePath.isEmpty || id.path() == homePath
      || id.path().hasPrefix(homePath.hasSuffix("/") ? homePath : homePath + "/")
    guard isParent else {
      throw .invalidClientMetadata("client_uri must be a parent URL of the client_id")
    }
  }
}
