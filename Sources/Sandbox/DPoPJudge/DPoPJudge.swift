import Foundation
import JOSE
import OpenSSLCrypto
import StrictJSON

/// What a good proof proves.
struct DPoPProof: Equatable, Sendable {
  /// The key's RFC 7638 thumbprint: what tokens are bound to.
  let thumbprint: String
  /// The proof's `jti`.
  let identifier: String
}

/// Judges DPoP proofs as the reference server does: the same checks in the same order.
///
/// Signature, `typ` and times come first, so a skewed clock is `invalid_dpop_proof` and never a
/// nonce challenge; the replay check comes last, so a nonce refusal does not burn the `jti`.
/// Only ES256 is verified, hence only ES256 may be advertised.
/// - SeeAlso: RFC 9449 §4.3, atproto-wire §6
struct DPoPJudge: Sendable {
  private static let tolerance: TimeInterval = 180
  private static let maximumAge: TimeInterval = 10

  let nonces: DPoPNonces
  let replays: ProofReplayMemory

  init(nonces: DPoPNonces, replays: ProofReplayMemory) {
    self.nonces = nonces
    self.replays = replays
  }

  /// Judges the `DPoP` header of one request.
  ///
  /// - Parameters:
  ///   - fields: every `DPoP` header field of the request.
  ///   - method: the request's method, as sent.
  ///   - url: the request's URL as the server publishes it, never as `Host` claims it.
  ///   - accessToken: the token sent along; `nil` at the authorization server, where `ath` is
  ///     not allowed.
  ///   - now: the server's time.
  ///   - rotation: which nonces are good.
  /// - Returns: `nil` when the request carries no proof; whether it needs one is the caller's.
  /// - Throws: `DPoPRefusal`, the first fault found.
  func judge(
    fields: [String], method: String, url: String, accessToken: String?, now: Date,
    rotation: NonceRotation = .everyMinute
  ) throws(DPoPRefusal) -> DPoPProof? {
    guard let proof = fields.first else { return nil }
    guard fields.count == 1 else {
      throw .invalidProof("DPoP header must contain a single proof")
    }
    guard !proof.isEmpty else { throw .invalidProof("DPoP header cannot be empty") }
    let (key, claims) = try verified(proof, now: now)
    let identifier = try checked(claims, method: method, url: url)
    try checkNonce(claims, now: now, rotation: rotation)
    try checkTokenHash(claims, accessToken)
    guard replays.isNew(identifier, now: now) else {
      throw .invalidProof("DPoP proof replayed")
    }
    return DPoPProof(thumbprint: key.thumbprint, identifier: identifier)
  }

  // MARK: Signature, header, times

  private func verified(
    _ proof: String, now: Date
  ) throws(DPoPRefusal) -> (JWK, JSONObject) {
    let jws: CompactJWS
    do { jws = try CompactJWS(parsing: proof) } catch { throw .unverified("Invalid Compact JWS") }
    guard let algorithm = jws.header["alg"]?.stringValue else {
      throw .unverified("JWS \"alg\" (Algorithm) Header Parameter missing or invalid")
    }
    guard algorithm == "ES256" else {
      throw .unverified("\"alg\" (Algorithm) Header Parameter value not allowed")
    }
    guard let written = jws.header["jwk"], case .object(let members) = written else {
      throw .unverified("\"jwk\" (JSON Web Key) JOSE Header must be a JSON object")
    }
    guard members["d"] == nil, let key = publicKey(written) else {
      throw .unverified("\"jwk\" (JSON Web Key) JOSE Header must be a public key")
    }
    guard jws.isSigned(by: key.publicKey) else {
      throw .unverified("signature verification failed")
    }
    guard let claims = claims(of: jws) else {
      throw .unverified("JWT Claims Set must be a top-level JSON object")
    }
    guard isProofType(jws.header["typ"]?.stringValue) else {
      throw .unverified("unexpected \"typ\" JWT header value")
    }
    try checkTimes(claims, now: now)
    return (key, claims)
  }

  private func publicKey(_ written: JSONValue) -> JWK? {
    do { return try JWK(json: written) } catch { return nil }
  }

  private func claims(of jws: CompactJWS) -> JSONObject? {
    do { return try JSONParser.parse(jws.payload).objectValue } catch { return nil }
  }

  private func isProofType(_ type: String?) -> Bool {
    guard let type = type?.lowercased() else { return false }
    return type == "dpop+jwt" || type == "application/dpop+jwt"
  }

  private func checkTimes(_ claims: JSONObject, now: Date) throws(DPoPRefusal) {
    let now = now.timeIntervalSince1970.rounded(.down)
    func time(_ name: String) throws(DPoPRefusal) -> TimeInterval? {
      guard let claim = claims[name] else { return nil }
      guard let seconds = claim.doubleValue else {
        throw .unverified("\"\(name)\" claim must be a number")
      }
      return seconds
    }
    guard let issued = try time("iat") else {
      throw .unverified("missing required \"iat\" claim")
    }
    if let start = try time("nbf"), start > now + Self.tolerance {
      throw .unverified("\"nbf\" claim timestamp check failed")
    }
    if let end = try time("exp"), end <= now - Self.tolerance {
      throw .unverified("\"exp\" claim timestamp check failed")
    }
    let age = now - issued
    if age - Self.tolerance > Self.maximumAge {
      throw .unverified("\"iat\" claim timestamp check failed (too far in the past)")
    }
    if age < -Self.tolerance {
      throw .unverified("\"iat\" claim timestamp check failed (it should be in the past)")
    }
  }

  // MARK: Claims

  private func checked(
    _ claims: JSONObject, method: String, url: String
  ) throws(DPoPRefusal) -> String {
    if let nonce = claims["nonce"], nonce.stringValue == nil {
      throw .invalidProof("Invalid DPoP \"nonce\" type")
    }
    guard let identifier = claims["jti"]?.stringValue, !identifier.isEmpty else {
      throw .invalidProof("DPoP \"jti\" missing")
    }
    guard claims["htm"]?.stringValue == method else {
      throw .invalidProof("DPoP \"htm\" mismatch")
    }
    guard let written = claims["htu"]?.stringValue, !written.isEmpty else {
      throw .invalidProof("Invalid DPoP \"htu\" type")
    }
    let isSame: Bool
    do throws(ProofTarget.Failure) {
      isSame = try ProofTarget(written) == ProofTarget(url)
    } catch {
      throw .invalidProof(error.words)
    }
    guard isSame else { throw .invalidProof("DPoP \"htu\" mismatch") }
    return identifier
  }

  private func checkNonce(
    _ claims: JSONObject, now: Date, rotation: NonceRotation
  ) throws(DPoPRefusal) {
    guard let nonce = claims["nonce"]?.stringValue, !nonce.isEmpty else {
      throw .nonceRequired
    }
    guard nonces.accepts(nonce, now: now, rotation: rotation) else { throw .nonceMismatch }
  }

  private func checkTokenHash(
    _ claims: JSONObject, _ accessToken: String?
  ) throws(DPoPRefusal) {
    guard let accessToken else {
      guard claims["ath"] == nil else {
        throw .invalidProof("DPoP \"ath\" claim not allowed")
      }
      return
    }
    let expected = Base64URL.encode(Digest.sha256(accessToken.utf8))
    guard claims["ath"]?.stringValue == expected else {
      throw .invalidProof("DPoP \"ath\" mismatch")
    }
  }
}

extension DPoPRefusal {
  /// The proof could not be verified at all.
  fileprivate static func unverified(_ reason: String) -> Self {
    .invalidProof("Failed to verify DPoP proof: \(reason)")
  }
}
