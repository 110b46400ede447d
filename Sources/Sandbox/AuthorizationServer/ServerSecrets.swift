import OpenSSLCrypto
import StrictJSON
import SystemClients

/// The keys of one authorization server: for its access tokens, for the forms on its pages.
///
/// They are drawn once and stored, so tokens and open pages outlive a restart.
actor ServerSecrets {
  private let store: AuthorizationStore
  private let random: SystemRandom
  private var known: [String: [UInt8]] = [:]

  init(store: AuthorizationStore, random: SystemRandom) {
    self.store = store
    self.random = random
  }

  /// The key access tokens are sealed with.
  func tokenKey() async throws -> [UInt8] { try await key("token") }

  /// The key of the value that ties a form to the page it came from.
  func formKey() async throws -> [UInt8] { try await key("form") }

  private func key(_ name: String) async throws -> [UInt8] {
    if let key = known[name] { return key }
    // Two callers may both get here; the store gives them the same key.
    let key = try await store.secret(name, drawn: random.bytes(32))
    known[name] = key
    return key
  }
}
