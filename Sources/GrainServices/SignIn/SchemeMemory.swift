/// Remembers for which address schemes the shell was asked to be the desktop's program: each is asked
/// for once, whatever the person has said.
struct SchemeMemory: Sendable {
  let store: AccountStore

  /// Whether it was asked; a store that is out of reach counts as yes, since nobody could remember.
  func isSettled(_ scheme: String) async -> Bool {
    do throws(StoreFault) {
      return try await store.isSchemeSettled(scheme)
    } catch {
      return true
    }
  }

  /// Remembers that it was.
  func settle(_ scheme: String) async {
    // What is not remembered is asked once more.
    try? await store.settleScheme(scheme)
  }
}

extension AccountStore {
  /// Whether the shell has answered for a scheme.
  fileprivate func isSchemeSettled(_ scheme: String) throws(StoreFault) -> Bool {
    try stored { try setting(Self.setting(of: scheme)) != nil }
  }

  /// Keeps that it has.
  fileprivate func settleScheme(_ scheme: String) throws(StoreFault) {
    try stored { try set(Self.setting(of: scheme), "asked") }
  }

  private static func setting(of scheme: String) -> String { "scheme.\(scheme)" }
}
