/// Why a DPoP proof is not taken; the words go into `error_description`.
enum DPoPRefusal: Error, Equatable, Sendable {
  /// `use_dpop_nonce`: send the proof again with the nonce of this answer.
  case useNonce(String)
  /// `invalid_dpop_proof`.
  case invalidProof(String)

  /// The proof carries no nonce.
  static let nonceRequired = Self.useNonce("Authorization server requires nonce in DPoP proof")
  /// The proof's nonce is too old or was never handed out.
  static let nonceMismatch = Self.useNonce("DPoP \"nonce\" mismatch")
}
