import Foundation
import JOSE
import StrictJSON

/// How a confidential client shows that it is itself: a JWT signed with a key of its document.
///
/// Only ES256 is verified, hence only ES256 is advertised.
/// - SeeAlso: RFC 7523 §2.2, atproto-wire §3.2 (`private_key_jwt`)
struct ClientAssertion: Sendable {
  private static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  private static let maximumAge: TimeInterval = 60

  private let text: String

  /// Reads the assertion a client that needs one has sent.
  init(_ body: OAuthBody) throws(OAuthRefusal) {
    let type: String?
    let text: String?
    do throws(FieldComplaint) {
      type = try body.text("client_assertion_type")
      text = try body.text("client_assertion")
    } catch {
      throw .invalidRequest("Invalid client credentials: \(error.words)")
    }
    guard let text else {
      throw .invalidRequest(
        "client authentication method \"private_key_jwt\" required a \"client_assertion\"")
    }
    guard type == Self.type else {
      throw .invalidClient("Unsupported client_assertion_type \"\(type ?? "")\"")
    }
    self.text = text
  }

  /// Checks the assertion against the client's keys.
  ///
  /// Gives back the thumbprint of the key it is signed with, which the grant is tied to.
  func verified(
    client: ClientDocument, issuer: String, seen: ProofReplayMemory, now: Date
  ) throws(OAuthRefusal) -> String {
    let jws: CompactJWS
    let claims: JSONObject
    do throws(JOSEError) {
      jws = try CompactJWS(parsing: text)
      claims = try jws.claims()
    } catch {
      throw .invalidAssertion("Invalid Compact JWS")
    }
    guard let id = jws.header["kid"]?.stringValue else {
      throw .invalidClient("\"kid\" required in client_assertion")
    }
    guard jws.header["alg"]?.stringValue == "ES256", let key = client.keys[id] else {
      throw .invalidAssertion("no applicable key found in the JSON Web Key Set")
    }
    guard jws.isSigned(by: key.publicKey) else {
      throw .invalidAssertion("signature verification failed")
    }
    for name in ["iss", "sub"] where claims[name]?.stringValue != client.id {
      throw .invalidAssertion("unexpected \"\(name)\" claim value")
    }
    let audiences = claims["aud"]?.arrayValue ?? claims["aud"].map { [$0] } ?? []
    guard audiences.contains(.string(issuer)) else {
      throw .invalidAssertion("unexpected \"aud\" claim value")
    }
    try checkTimes(claims, now: now)
    guard let identifier = claims["jti"]?.stringValue, !identifier.isEmpty else {
      throw .invalidAssertion("missing required \"jti\" claim")
    }
    guard seen.isNew("\(client.id) \(identifier)", now: now) else {
      throw .invalidGrant("private_key_jwt jti reused")
    }
    return key.thumbprint
  }

  private func checkTimes(_ claims: JSONObject, now: Date) throws(OAuthRefusal) {
    let now = now.timeIntervalSince1970.rounded(.down)
    guard let issued = claims["iat"]?.doubleValue else {
      throw .invalidAssertion("missing required \"iat\" claim")
    }
    if now - issued > Self.maximumAge {
      throw .invalidAssertion("\"iat\" claim timestamp check failed (too far in the past)")
    }
    if issued > now {
      throw .invalidAssertion("\"iat\" claim timestamp check failed (it should be in the past)")
    }
    if let end = claims["exp"]?.doubleValue, end <= now {
      throw .invalidAssertion("\"exp\" claim timestamp check failed")
    }
  }
}

extension OAuthRefusal {
  fileprivate static func invalidAssertion(_ reason: String) -> Self {
    .invalidClient("Validation of \"client_assertion\" failed: \(reason)")
  }
}
