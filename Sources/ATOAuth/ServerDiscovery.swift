import Foundation
import HTTPTransport
import OAuth
import StrictJSON

/// Finds the authorization server of a home server and checks that both say so.
///
/// Nothing here is remembered: two requests at a sign-in are cheap, a stale answer is not.
///
/// - SeeAlso: atproto-wire §3
struct ServerDiscovery: Sendable {
  let http: HTTPClient
  let nonces: NonceStore
  let allowInsecureLoopback: Bool

  /// The authorization server's document, with every check of atproto-wire §3.3.
  ///
  /// - `pds`: the home server's origin.
  func authorizationServer(
    of pds: URL
  ) async throws(ATOAuthError) -> AuthorizationServerMetadata {
    let origin = Origin(pds)?.description ?? pds.absoluteString
    let resource = try await document(
      ".well-known/oauth-protected-resource", at: origin
    ) { json throws(MetadataError) in
      try ProtectedResourceMetadata(
        json: json, origin: origin, allowInsecureLoopback: allowInsecureLoopback)
    }
    let issuer = resource.authorizationServer
    let server = try await document(
      ".well-known/oauth-authorization-server", at: issuer.rawValue
    ) { json throws(MetadataError) in
      try AuthorizationServerMetadata(
        json: json, issuer: issuer, allowInsecureLoopback: allowInsecureLoopback)
    }
    guard server.covers(resource: resource.resource) else {
      throw .serverUnsupported(
        host: issuer.rawValue, .doesNotCover(resource: resource.resource))
    }
    return server
  }

  private func document<Document>(
    _ path: String, at origin: String, read: (JSONValue) throws(MetadataError) -> Document
  ) async throws(ATOAuthError) -> Document {
    guard let url = URL(string: "\(origin)/\(path)") else {
      throw .serverUnsupported(host: origin, .metadata(.notAnIssuer(origin)))
    }
    let host = url.hostName
    let response: HTTPResponse
    do {
      response = try await http.send(
        HTTPRequest(
          method: "GET", url: url, headers: ["Accept": "application/json"], deadline: .seconds(10),
          maximumBodyBytes: 65_536))
    } catch {
      throw .network(host: host, error)
    }
    nonces.learn(from: response, url: url)
    try Self.check(response, host: host)
    do {
      return try read(try JSONParser.parse(response.body))
    } catch let error as MetadataError {
      throw .serverUnsupported(host: host, .metadata(error))
    } catch {
      throw .serverUnsupported(host: host, .noMetadata(status: response.status))
    }
  }

  /// Exactly 200 and JSON: captive portals and error pages stop here, redirects are not followed.
  private static func check(_ response: HTTPResponse, host: String) throws(ATOAuthError) {
    switch response.status {
    case 200 where response.contentType == "application/json": return
    case 300..<400: throw .serverUnsupported(host: host, .redirects)
    case 408, 425, 429, 500...:
      throw .server(
        host: host, status: response.status, error: nil, description: nil,
        retryAfter: response.retryAfter)
    default: throw .serverUnsupported(host: host, .noMetadata(status: response.status))
    }
  }
}
