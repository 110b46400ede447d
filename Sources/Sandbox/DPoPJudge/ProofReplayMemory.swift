import Foundation
import SystemClients

/// The `jti` values one server has seen: each is good once, whoever sent it.
///
/// Held for 198 s, longer than a proof's own window would need; authorization server and resource
/// server of one origin share one memory.
/// - SeeAlso: RFC 9449 §11.1, atproto-wire §6 (`jti`)
final class ProofReplayMemory: Sendable {
  private static let lifetime: TimeInterval = 198
  private let seen = Locked<[String: Date]>([:])

  init() {}

  /// Remembers `identifier`.
  ///
  /// - Returns: `false` when it was seen before.
  func isNew(_ identifier: String, now: Date) -> Bool {
    seen.withLock { seen in
      // Dropping what has lapsed only at every 256th entry keeps this cheap under load.
      if seen.count % 256 == 255 {
        seen = seen.filter { $0.value > now }
      }
      if let until = seen[identifier], until > now { return false }
      seen[identifier] = now.addingTimeInterval(Self.lifetime)
      return true
    }
  }
}
