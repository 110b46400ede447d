import Foundation
import JOSE
import OpenSSLCrypto
import SystemClients

/// The nonces one server hands out in `DPoP-Nonce` and takes back in proofs.
///
/// A nonce is an HMAC of the minute it belongs to, so nothing is stored: the previous, the current
/// and the next one are good, and the next one is what an answer carries; it lives 120 to 180 s.
/// A restart draws a new secret and so forgets them all, as a PDS without a configured secret does.
/// - SeeAlso: RFC 9449 §8, atproto-wire §5.4
final class DPoPNonces: Sendable {
  private static let period: TimeInterval = 60
  private let secret: [UInt8]
  private let answers = Locked<UInt64>(0)

  /// - Parameter secret: at least 32 random bytes.
  init(secret: [UInt8]) {
    self.secret = secret
  }

  /// The nonce the next answer carries; called once for each answer.
  ///
  /// - Returns: 43 characters of the base64url alphabet, the canary marker first.
  func next(now: Date, rotation: NonceRotation = .everyMinute) -> String {
    switch rotation {
    case .everyMinute:
      nonce("minute", minute(now) &+ 1)
    case .everyAnswer:
      nonce(
        "answer",
        answers.withLock {
          $0 += 1; return $0
        })
    }
  }

  /// Whether a proof that carries `nonce` is recent enough.
  func accepts(
    _ nonce: String, now: Date, rotation: NonceRotation = .everyMinute
  ) -> Bool {
    switch rotation {
    case .everyMinute:
      let minute = minute(now)
      return [minute &- 1, minute, minute &+ 1].contains { self.nonce("minute", $0) == nonce }
    case .everyAnswer:
      let newest = answers.withLock { $0 }
      return newest > 0 && self.nonce("answer", newest) == nonce
    }
  }

  private func minute(_ now: Date) -> UInt64 {
    UInt64(max(0, now.timeIntervalSince1970 / Self.period))
  }

  private func nonce(_ kind: String, _ counter: UInt64) -> String {
    let message = Array("\(kind) \(counter)".utf8)
    let digest = HMAC.sha256(key: secret, message: message)
    return Canary.marker + Base64URL.encode(digest).prefix(43 - Canary.marker.count)
  }
}
