import JOSE
package import OpenSSLCrypto
package import SystemClients

/// A provider whose own SDK gives an ID token on the device (A33). Nobody else takes this way: other
/// providers sign in through a browser (A36).
package enum NativeIDProvider: String, CaseIterable, Sendable {
  case apple
  case google
}

/// One sign-in through a provider's SDK, which lives in the host application: this is only the seam.
///
/// Cannot be copied and ends with its credential, so that a nonce ties one ID token to one attempt (A7).
package struct NativeIDAttempt: ~Copyable, Sendable {
  /// Who is asked.
  package let provider: NativeIDProvider
  private let rawNonce: Secret

  /// An attempt with a fresh nonce of 32 random bytes.
  package init(_ provider: NativeIDProvider, random: SystemRandom) {
    self.provider = provider
    rawNonce = Secret(text: Base64URL.encode(random.bytes(32)))
  }

  /// What the SDK is given: Apple the lower-case hex SHA-256 of the nonce, Google the nonce itself, which
  /// its SDK puts into the token as it is (A34).
  package var nonceForSDK: String {
    switch provider {
    case .apple: rawNonce.withBytes { Hex.lowercase(Digest.sha256($0)) }
    case .google: rawNonce.revealText()
    }
  }

  /// What the SDK has answered, for the backend: with it goes the raw nonce, whose digest the backend
  /// finds in the token (A34).
  ///
  /// - Parameters:
  ///   - idToken: the ID token. It is not read: who somebody is the backend says (A8).
  ///   - accessToken: goes with it where the SDK gives one.
  ///   - fullName: only ever given at the first sign-in.
  /// - Returns: what the backend exchanges.
  /// - Throws: ``NativeIDToken/Refusal`` for anything but an ID token, an authorization code above all
  ///   (A35).
  package consuming func credential(
    idToken: Secret, accessToken: Secret? = nil, fullName: String? = nil
  ) throws(NativeIDToken.Refusal) -> NativeIDToken {
    try NativeIDToken.check(idToken)
    return NativeIDToken(
      provider: provider, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken,
      fullName: fullName)
  }
}

/// Lower-case digits.
private enum Hex {
  static func lowercase(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
