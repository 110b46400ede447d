package import OpenSSLCrypto
package import SystemClients

/// A key in the desktop's key store (GNOME Keyring, KWallet, KeePassXC), through `secret-tool`.
///
/// Each vault has an entry of its own, found by the vault's id. The key travels on standard input
/// and output, never in an argument. A service that does not answer is given up after a time limit,
/// so no call hangs (FB-E6).
package struct SecretServiceProvider: KeyProvider {
  /// Recorded in the vault.
  package let name = "keyring"
  private let programs: ProgramRunner
  private let environment: [String: String]
  private let searchLimit: Duration
  private let storeLimit: Duration

  /// - Parameters:
  ///   - programs: finds and runs `secret-tool`.
  ///   - environment: of the desktop session; what leads to its bus is passed on, nothing else.
  ///   - searchLimit: how long a question may take that never involves a person.
  ///   - storeLimit: how long storing may take, for which a desktop may ask to unlock.
  package init(
    programs: ProgramRunner, environment: [String: String], searchLimit: Duration = .seconds(5),
    storeLimit: Duration = .seconds(15)
  ) {
    self.programs = programs
    // Not DISPLAY: with it and without a bus, a bus is started that nobody ever ends.
    let passed = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME", "PATH"]
    self.environment = environment.filter { passed.contains($0.key) }
      .merging(["LC_ALL": "C.UTF-8"]) { _, ours in ours }
    self.searchLimit = searchLimit
    self.storeLimit = storeLimit
  }

  /// The key under this vault's id; `nil` where the store answers and has none.
  package func load(vault: String) async throws(VaultError) -> Secret? {
    // "lookup" would ask a person to unlock and, refused, answers exactly as if there were no key;
    // "search" asks nobody and lists locked entries without their secret (measured, 0.20.5).
    let found = try await run("search", ["--all"], of: vault, within: searchLimit)
    guard found.status == 0 else { throw unavailable("the key store cannot be reached") }
    let lines = found.output.split(separator: UInt8(ascii: "\n"))
    let mark = Array("secret = ".utf8)
    if let line = lines.first(where: { $0.starts(with: mark) }) {
      guard let key = HexKey.secret(line.dropFirst(mark.count)) else {
        throw .wrongKey(provider: name)
      }
      return key
    }
    if lines.contains(where: { $0.first == UInt8(ascii: "[") }) { throw .locked(provider: name) }
    return nil
  }

  /// Keeps a fresh key under this vault's id and reads it back.
  package func create(vault: String, random: SystemRandom) async throws(VaultError) -> Secret {
    if try await load(vault: vault) != nil { throw .keyWithoutVault(provider: name) }
    let key = random.bytes(32)
    let stored = try await run(
      "store", ["--label=grain-core: key of the account store"], of: vault,
      input: HexKey.text(key), within: storeLimit)
    guard stored.status == 0 else { throw unavailable("the key store did not take the key") }
    // A service may go away between the two; what cannot be read back was not kept.
    guard let kept = try await load(vault: vault), kept == Secret(key) else {
      throw unavailable("the key store did not keep the key")
    }
    return kept
  }

  /// Never: every vault has an entry of its own.
  package func isOccupied() -> Bool { false }

  /// Forgets the key under this vault's id.
  package func remove(vault: String) async throws(VaultError) {
    _ = try await run("clear", [], of: vault, within: storeLimit)
    // Its status says only whether something was removed; a locked entry stays without a word.
    guard try await load(vault: vault) == nil else {
      throw unavailable("the key store did not remove the key")
    }
  }

  private func run(
    _ verb: String, _ options: [String], of vault: String, input: [UInt8] = [],
    within limit: Duration
  ) async throws(VaultError) -> ProgramResult {
    guard let tool = programs.find("secret-tool") else {
      throw unavailable("secret-tool is not installed")
    }
    do throws(ProgramError) {
      return try await programs.run(
        ProgramInvocation(
          executable: tool,
          arguments: [verb] + options + ["application", "grain-core", "vault", vault],
          environment: environment, input: input, timeLimit: limit, outputLimit: 1 << 16))
    } catch {
      switch error {
      case .timedOut:
        throw unavailable("the key store did not answer within \(limit.components.seconds) s")
      case .notFound, .failedToStart, .outputTooLarge, .cancelled:
        throw unavailable("secret-tool could not be run")
      }
    }
  }

  private func unavailable(_ reason: String) -> VaultError {
    .keyUnavailable(provider: name, reason: reason)
  }
}
