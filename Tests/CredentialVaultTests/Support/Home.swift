import CredentialVault
import Foundation
import GrainTestSupport
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients

/// A data folder with a store and a key file.
struct Home {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var store: String { folder.path("core.sqlite") }
  var key: String { folder.path("vault.key") }

  func open(random: SystemRandom = .live) async throws -> CredentialVault {
    try await CredentialVault(
      path: store, providers: [KeyFileProvider(path: key)], random: random)
  }

  /// A connection of somebody else's to the same store.
  func connect() throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: store)
    try connection.migrate(CredentialVault.migrations, applicationID: CredentialVault.applicationID)
    return connection
  }

  func mode(of name: String) throws -> Int? {
    let path = folder.path(name)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return (mode as? NSNumber)?.intValue
  }

  /// Every file with its content.
  func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: folder.path($0)))) }
    )
  }

  func replace(_ path: String, with bytes: Data) throws {
    try bytes.write(to: URL(filePath: path))
  }
}

/// A key store in memory that can be locked, or have lost its key.
final class FakeKeyStore: KeyProvider {
  let name: String
  let isMandatory: Bool
  private let state = Locked<(keys: [String: Secret], failure: VaultError?)>(([:], nil))

  init(_ name: String, isMandatory: Bool = false, failure: VaultError? = nil) {
    self.name = name
    self.isMandatory = isMandatory
    state.withLock { $0.failure = failure }
  }

  var failure: VaultError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }
  var keyCount: Int { state.withLock { $0.keys.count } }

  func loseKeys() { state.withLock { $0.keys = [:] } }

  func isOccupied() -> Bool { false }

  func remove(vault: String) throws(VaultError) {
    if let failure { throw failure }
    state.withLock { $0.keys[vault] = nil }
  }

  func load(vault: String) throws(VaultError) -> Secret? {
    if let failure { throw failure }
    return state.withLock { $0.keys[vault] }
  }

  func create(vault: String, random: SystemRandom) throws(VaultError) -> Secret {
    if let failure { throw failure }
    let key = Secret(random.bytes(32))
    state.withLock { $0.keys[vault] = key }
    return key
  }
}

/// The error that an opening met, or nil where it met none.
func failure(_ body: () async throws -> Void) async -> VaultError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? VaultError
  }
}
