import ATSyntax
import Foundation
import HTTPTransport
import OpenSSLCrypto
import StrictJSON

/// How the sandbox's servers look identities up: over HTTP, like anybody else.
struct DIDDocuments: Sendable {
  enum Failure: Error, Equatable {
    /// The document does not exist (any 4xx, and any non-2xx of a `did:web`).
    case notFound
    /// Unsupported method, malformed DID, or a network that failed: not known either way.
    case unavailable
  }

  let plcDirectory: URL
  let http: HTTPClient

  /// Fetches a document; `id` must be the DID.
  func document(of did: DID) async throws(Failure) -> SandboxDIDDocument {
    guard did.isBlessed, let url = location(of: did) else { throw .unavailable }
    let response: HTTPResponse
    do {
      response = try await http.send(
        HTTPRequest(
          url: url, headers: ["Accept": "application/did+ld+json,application/json"],
          deadline: .seconds(3)))
    } catch {
      throw .unavailable
    }
    guard response.status == 200 else {
      throw did.method == .web || (400..<500).contains(response.status) ? .notFound : .unavailable
    }
    do {
      let json = try JSONParser.parse(response.body)
      guard json["id"]?.stringValue == did.rawValue else { throw Failure.notFound }
      return SandboxDIDDocument(did: did, json: json)
    } catch {
      throw .notFound
    }
  }

  private func location(of did: DID) -> URL? {
    guard let host = did.webHost else {
      return URL(string: "\(plcDirectory.absoluteString)/\(did)")
    }
    // Plain http is for loopback, in development; the client's own policy decides the rest.
    let scheme = host.hasPrefix("127.0.0.1") || host.hasPrefix("localhost") ? "http" : "https"
    return URL(string: "\(scheme)://\(host)/.well-known/did.json")
  }
}

/// A DID document as the sandbox's servers read it.
struct SandboxDIDDocument: Sendable {
  let did: DID
  let json: JSONValue

  /// The string endpoint of the service with that fragment, in either spelling of its id.
  func endpoint(_ fragment: String) -> URL? {
    let ids = ["#\(fragment)", "\(did)#\(fragment)"]
    let service = json["service"]?.arrayValue?.first { ids.contains($0["id"]?.stringValue ?? "") }
    guard let text = service?["serviceEndpoint"]?.stringValue, let url = URL(string: text),
      url.scheme == "https" || url.scheme == "http"
    else { return nil }
    return text.hasSuffix("/") ? URL(string: String(text.dropLast())) : url
  }

  /// The key that signs for the account.
  var signingKey: P256PublicKey? {
    let ids = ["#atproto", "\(did)#atproto"]
    let method = json["verificationMethod"]?.arrayValue?.first {
      ids.contains($0["id"]?.stringValue ?? "") && $0["type"] == "Multikey"
    }
    return method?["publicKeyMultibase"]?.stringValue.flatMap(MultiKey.read)
  }

  /// The first valid handle it claims; unverified.
  var claimedHandle: Handle? {
    for alias in json["alsoKnownAs"]?.arrayValue ?? [] {
      guard let text = alias.stringValue, text.hasPrefix("at://") else { continue }
      // The next alias may be a handle where this one is not.
      if let handle = try? Handle(String(text.dropFirst(5))) { return handle }
    }
    return nil
  }
}
