import ATSyntax
import Foundation
import HTTPServing
import HTTPTransport
import Sandbox
import StrictJSON

/// Believes a token that says who it is for and what it permits: these tests begin where the
/// authorization server's own end.
struct TrustingVerifier: AccessVerifier {
  /// The token of an account with these scope items.
  static func token(_ did: DID, _ scopes: [String]) -> String {
    "DPoP \(did)|\(scopes.joined(separator: "|"))"
  }

  func verifyAccess(_ request: HTTPServerRequest, publicURL: URL) async -> AccessVerdict {
    guard let header = request.headers["Authorization"] else {
      let body: JSONValue = ["error": "AuthMissing", "message": "Authentication Required"]
      return .refused(.json(body.serialized(), status: 401))
    }
    let parts = header.dropFirst(5).split(separator: "|").map(String.init)
    guard let name = parts.first, let did = try? DID(name) else {
      return .refused(.json([], status: 401))
    }
    return .granted(
      AccessGrant(
        did: did, scopes: Array(parts.dropFirst()), clientID: "https://app.example/client",
        dpopNonce: "nonce-of-\(publicURL.port ?? 0)"))
  }
}
