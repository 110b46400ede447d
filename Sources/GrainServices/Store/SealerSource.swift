package import CredentialVault
import SystemClients

/// What seals and opens the secrets of the account store, once its key is there.
///
/// Until then whoever needs it hears why it is not: the accounts are `restoring`, never signed out.
package final class SealerSource: Sendable {
  private let state: Locked<Result<VaultSealer, StoreFault>>

  /// A source that has its sealer.
  package init(_ sealer: VaultSealer) {
    state = Locked(.success(sealer))
  }

  /// A source for those who read what is not sealed.
  package static var closed: SealerSource {
    SealerSource(waitingFor: .keyUnavailable("nobody asked for the key"))
  }

  /// A source whose key is still out of reach, and why.
  init(waitingFor fault: StoreFault) {
    state = Locked(.failure(fault))
  }

  /// Why there is no sealer yet; `nil` when there is one.
  var fault: StoreFault? {
    state.withLock { state in
      if case .failure(let fault) = state { fault } else { nil }
    }
  }

  /// The sealer.
  ///
  /// - Throws: ``fault``, while there is none.
  var sealer: VaultSealer {
    get throws(StoreFault) { try state.withLock { $0 }.get() }
  }

  /// Takes the outcome of another attempt; a sealer is never lost again.
  func take(_ outcome: Result<VaultSealer, StoreFault>) {
    state.withLock { state in
      if case .failure = state { state = outcome }
    }
  }
}
