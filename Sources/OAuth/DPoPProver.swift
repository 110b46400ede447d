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

  /// The header and its full stop: the same in every proof of a key, so encoded once. Proofs are made
  /// for every request; all of this costs a fraction of the signature.
  private let signingPrefix: [UInt8]

  /// A prover for the key.
  package init(key: P256PrivateKey) {
    self.key = key
    let jwk = JWK(key.publicKey)
    thumbprint = jwk.thumbprint
    let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(jwk.json)]
    signingPrefix = Array("\(Base64URL.encode(JSONValue.object(header).serialized())).".utf8)
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
    var claims: [(String, JSONValue)] = [
      ("jti", .string(Base64URL.encode(random.bytes(16)))), ("htm", .string(method)),
      ("htu", .string(Self.target(of: url))), ("iat", JSONValue(Int(now.timeIntervalSince1970))),
    ]
    if let nonce { claims.append(("nonce", .string(nonce))) }
    if let accessToken { claims.append(("ath", .string(Self.hash(of: accessToken)))) }
    let payload = JSONValue.object(JSONObject(claims)).serialized()
    var proof = signingPrefix
    proof.reserveCapacity(proof.count + payload.count * 4 / 3 + 90)
    proof.append(contentsOf: Base64URL.encode(payload).utf8)
    let signature = try key.signature(for: proof)
    proof.append(UInt8(ascii: "."))
    proof.append(contentsOf: Base64URL.encode(signature).utf8)
    return String(decoding: proof, as: UTF8.self)
  }

  /// The URL without user information, query and fragment, with a non-default port kept (FB-A9).
  package static func target(of url: URL) -> String {
    let text = url.absoluteString
    let bytes = text.utf8
    let end =
      bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    guard
      let slash = bytes[..<end].firstIndex(of: UInt8(ascii: "/")),
      let authority = bytes.index(slash, offsetBy: 2, limitedBy: end)
    else { return String(text[..<end]) }
    let path = bytes[authority..<end].firstIndex(of: UInt8(ascii: "/"))
    let slashed = path == nil ? "/" : ""
    if let at = bytes[authority..<(path ?? end)].lastIndex(of: UInt8(ascii: "@")) {
      return "\(text[..<authority])\(text[bytes.index(after: at)..<end])\(slashed)"
    }
    return path == nil ? text[..<end] + slashed : String(text[..<end])
  }

  /// What `ath` says about an access token: base64url of the SHA-256 of its characters.
  static func hash(of accessToken: Secret) -> String {
    accessToken.withBytes { Base64URL.encode(Digest.sha256($0)) }
  }
}
