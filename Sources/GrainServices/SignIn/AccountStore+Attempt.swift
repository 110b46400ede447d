import CredentialVault
package import OpenSSLCrypto
import SQLiteDatabase

/// The sign-in that waits for its browser, sealed beside the accounts, so that a callback which
/// starts the program can be finished (A17, atproto-wire §7.3).
///
/// There is one at a time, whoever the provider is: its state, by which a callback is told to be its own,
/// is a secret and lies inside, and so does whose it is.
extension AccountStore {
  private static let attemptName = "attempt"

  /// Keeps an attempt, as its provider wrote it, in place of an older one.
  package func keepAttempt(_ attempt: Secret) throws(StoreFault) {
    try stored {
      try sealer.seal(Self.attemptName, kind: Self.attemptName, secret: attempt)
        .store(on: database)
    }
  }

  /// The attempt that was kept. One that is damaged is forgotten: nothing else hangs on it.
  package func keptAttempt() throws(StoreFault) -> Secret? {
    try stored {
      guard
        let row = try SealedRow.load(Self.attemptName, kind: Self.attemptName, on: database)
      else { return nil }
      let sealer = try self.sealer
      do {
        return try sealer.open(row)
      } catch {
        try SealedRow.removeAll(Self.attemptName, on: database)
        return nil
      }
    }
  }

  /// Forgets the attempt, secrets and all.
  package func dropAttempt() throws(StoreFault) {
    let kept = try stored {
      try SealedRow.load(Self.attemptName, kind: Self.attemptName, on: database)
    }
    if kept == nil { return }
    try stored { try SealedRow.removeAll(Self.attemptName, on: database) }
    eraseLog()
  }
}
