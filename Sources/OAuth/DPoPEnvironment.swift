import Foundation
package import HTTPTransport
package import OpenSSLCrypto
package import SystemClients

/// What every signed request of this process shares: what servers told us, our clock and randomness.
package struct DPoPEnvironment: Sendable {
  /// Nonces by origin.
  package let nonces: NonceStore
  /// Clock corrections by origin.
  package let clocks: ServerClocks
  /// This machine's clock.
  package let clock: SystemClock
  /// Where `jti` comes from.
  package let random: SystemRandom

  /// An environment in which no server has spoken yet.
  package init(
    nonces: NonceStore = NonceStore(), clocks: ServerClocks = ServerClocks(), clock: SystemClock,
    random: SystemRandom
  ) {
    self.nonces = nonces
    self.clocks = clocks
    self.clock = clock
    self.random = random
  }

  /// Adds a fresh proof to a request, and with a token its `Authorization` (G34, G35).
  ///
  /// - `accessToken`: `nil` at an authorization server.
  /// - Returns: the nonce the proof carries, to tell a new one from it.
  /// - Throws: ``CryptoError`` when the signature fails.
  @discardableResult
  package func sign(
    _ request: inout HTTPRequest, prover: DPoPProver, accessToken: Secret? = nil
  ) throws(CryptoError) -> String? {
    let nonce = nonces.nonce(for: request.url)
    request.headers["DPoP"] = try prover.proof(
      method: request.method, url: request.url, accessToken: accessToken, nonce: nonce,
      now: clocks.now(for: request.url, clock: clock), random: random)
    if let accessToken { request.headers["Authorization"] = "DPoP \(accessToken.revealText())" }
    return nonce
  }
}
