import ATSyntax
import Foundation
import HTTPTransport
import StrictJSON

/// Fetches DID documents: `did:plc` from the directory, `did:web` from the host it names (G9, G10).
struct DIDDocumentLookup: Sendable {
  let configuration: IdentityConfiguration
  let http: HTTPClient

  /// The document, checked to be the DID's own. Redirects are not followed.
  func document(for did: DID) async throws(IdentityError) -> DIDDocument {
    let url = try location(of: did)
    let fetch = IdentityFetch(http: http, deadline: .seconds(10), maximumBodyBytes: 65_536)
    let response = try await fetch.get(
      url, accept: "application/did+ld+json,application/json")
    switch response.status {
    case 200: break
    case 404, 410: throw .didNotFound(did)
    default: throw .unreachable(host: IdentityFetch.name(of: url), nil)
    }
    guard ["application/json", "application/did+ld+json"].contains(response.contentType ?? "")
    else {
      throw .invalidDocument("content type")
    }
    guard let json = IdentityJSON.object(response) else { throw .invalidDocument("document") }
    return try DIDDocument(
      json: .object(json), expecting: did,
      allowInsecureLoopback: configuration.allowInsecureLoopback)
  }

  /// Where a DID's document lives.
  ///
  /// - Throws: `unsupportedMethod` for other methods, for paths, and for ports outside development
  ///   (FB-A19).
  func location(of did: DID) throws(IdentityError) -> URL {
    guard did.isBlessed else { throw .unsupportedMethod(did.rawValue) }
    guard let authority = did.webHost else {
      return configuration.plcDirectory.appending(path: did.rawValue)
    }
    let host = String(authority.prefix { $0 != ":" })
    if ["localhost", "127.0.0.1"].contains(host) {
      guard
        configuration.allowInsecureLoopback,
        let url = URL(string: "http://\(authority)/.well-known/did.json")
      else { throw .unsupportedMethod(did.rawValue) }
      return url
    }
    guard
      host == authority, isResolvable(host: host),
      let url = URL(string: "https://\(host)/.well-known/did.json")
    else { throw .unsupportedMethod(did.rawValue) }
    return url
  }

  /// The names that must not be looked up as handles are no homes for documents either.
  private func isResolvable(host: String) -> Bool {
    do {
      return try Handle(host).isResolvable(allowingTest: configuration.allowTestHandles)
    } catch {
      return false
    }
  }
}
