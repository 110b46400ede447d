package import Foundation
import JOSE
package import OpenSSLCrypto
import StrictJSON
package import SystemClients

/// Proves possession of one session's key, request by request.
///
/// - SeeAlso: RFC 9449 §4
package struct DPoPProver: Sendable {
  /// The session's key; it never changes during a grant.
  package let key: P256PrivateKey
  /// The key's RFC 7638 thumbprint, which the server binds tokens to.
  package let thumbprint: String

  /// The header is the same in every proof of a key, so it is encoded once.
  private let encodedHeader: String

  /// A prover for the key.
  package init(key: P256PrivateKey) {
    self.key = key
    let jwk = JWK(key.publicKey)
    thumbprint = jwk.thumbprint
    let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(jwk.json)]
    encodedHeader = Base64URL.encode(JSONValue.object(header).serialized())
  }

  /// A proof for one HTTP attempt; a retry needs a new one.
  ///
  /// - `method`: the HTTP method, in upper case (`htm`).
  /// - `url`: the request's target; see ``target(of:)`` (`htu`).
  /// - `accessToken`: hashed into `ath` for a resource server; `nil` at an authorization server,
  ///   which refuses a proof that has one.
  /// - `nonce`: the newest nonce of the server, if it has sent one.
  /// - `now`: the server's time as far as we know it (`iat`, whole seconds).
  /// - Returns: a compact JWS.
  /// - Throws: ``CryptoError`` when the signature fails.
  package func proof(
    method: String, url: URL, accessToken: Secret? = nil, nonce: String? = nil, now: Date,
    random: SystemRandom
  ) throws(CryptoError) -> String {
    var claims: JSONObject = [
      "jti": .string(Base64URL.encode(random.bytes(16))),
      "htm": .string(method),
      "htu": .string(Self.target(of: url)),
      "iat": JSONValue(Int(now.timeIntervalSince1970)),
    ]
    if let nonce { claims["nonce"] = .string(nonce) }
    if let accessToken { claims["ath"] = .string(Self.hash(of: accessToken)) }
    let payload = Base64URL.encode(JSONValue.object(claims).serialized())
    let signingInput = "\(encodedHeader).\(payload)"
    let signature = try key.signature(for: Array(signingInput.utf8))
    return "\(signingInput).\(Base64URL.encode(signature))"
  }

  /// The URL without user information, query and fragment, with a non-default port kept (FB-A9).
  package static func target(of url: URL) -> String {
    let text = url.absoluteString
    var target = text.prefix { $0 != "?" && $0 != "#" }
    guard let authority = target.range(of: "://") else { return String(target) }
    let path = target[authority.upperBound...].firstIndex(of: "/")
    if let at = target[authority.upperBound..<(path ?? target.endIndex)].lastIndex(of: "@") {
      target = target[..<authority.upperBound] + target[target.index(after: at)...]
    }
    return path == nil ? target + "/" : String(target)
  }

  /// What `ath` says about an access token: base64url of the SHA-256 of its characters.
  static func hash(of accessToken: Secret) -> String {
    accessToken.withBytes { Base64URL.encode(Digest.sha256($0)) }
  }
}
