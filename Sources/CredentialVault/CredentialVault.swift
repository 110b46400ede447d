package import OpenSSLCrypto
import SQLiteDatabase
package import SystemClients

/// Secrets sealed at rest under opaque labels. Knows no protocol.
///
/// Every change is on disk when its function returns. Who must change rows of their own in the same
/// transaction uses ``sealer`` and ``SealedRow`` on a connection of their own instead.
package actor CredentialVault {
  /// Seals and opens rows for others.
  package nonisolated let sealer: VaultSealer
  /// The name of the provider that holds this vault's key.
  package nonisolated let provider: String
  private let connection: SQLiteConnection

  /// Opens the vault in a store, or makes one in a new store.
  ///
  /// A new vault takes the first provider that works, and records its name. An existing one is
  /// opened by the provider of that name only; there is never a second key for it.
  /// - Parameters:
  ///   - path: the store's file; `:memory:` for a vault that is forgotten.
  ///   - schema: the store's whole list of migrations, beginning with ``migrations``.
  ///   - providers: in order of preference.
  ///   - random: `SystemRandom.live` wherever secrets are real.
  /// - Throws: `VaultError`, and then neither store nor key was changed, but for a new store that is
  ///   left without a vault until the next attempt.
  package init(
    path: String, schema: [String] = CredentialVault.migrations, providers: [any KeyProvider],
    random: SystemRandom
  ) async throws(VaultError) {
    let connection = try await Self.connect(path, schema, providers)
    let header: VaultHeader
    let dataKey: Secret
    if let found = try VaultHeader(on: connection) {
      header = found
      dataKey = try await Self.unlock(found, providers)
    } else {
      try Self.refuseLoss(path)
      (header, dataKey) = try await Self.make(on: connection, providers, random)
    }
    do {
      sealer = try VaultSealer(dataKey: dataKey, random: random)
    } catch {
      throw .corrupt("the data key has no proper length")
    }
    provider = header.provider
    self.connection = connection
    let leavesTrace = try await providers.first { $0.name == header.provider }?.isOccupied() == true
    VaultMarker(ofStore: path).set(leavesTrace ? nil : header.provider)
  }

  /// Makes sure that a store can be used as far as that goes without its key: it is ours, whole, of a
  /// schema known here, and brought up to date. Parameters and errors are those of the initialiser.
  package static func prepare(
    path: String, schema: [String], providers: [any KeyProvider]
  ) async throws(VaultError) {
    let connection = try await connect(path, schema, providers)
    // Damage is to be known now, not when the page with somebody's tokens is read (FB-E3).
    try VaultError.translating { () throws(SQLiteError) in try connection.checkPages() }
  }

  static func connect(
    _ path: String, _ schema: [String], _ providers: [any KeyProvider]
  ) async throws(VaultError) -> SQLiteConnection {
    precondition(schema.starts(with: migrations), "the vault's steps come first")
    let connection = try VaultError.translating { () throws(SQLiteError) in
      try SQLiteConnection(path: path, options: path == ":memory:" ? .memory : .file)
    }
    if try VaultError.translating({ () throws(SQLiteError) in try connection.isBlank() }) {
      for provider in providers where try await provider.isOccupied() {
        throw .keyWithoutVault(provider: provider.name)
      }
      try refuseLoss(path)
    }
    try VaultError.translating { () throws(SQLiteError) in
      try connection.migrate(schema, applicationID: applicationID)
    }
    return connection
  }

  /// Fails where a vault was and is no more.
  private static func refuseLoss(_ path: String) throws(VaultError) {
    if let provider = try VaultMarker(ofStore: path).provider() {
      throw .keyWithoutVault(provider: provider)
    }
  }

  /// Keeps a secret in place of an older one of the same label and kind.
  package func put(_ label: String, kind: String, secret: Secret) throws(VaultError) {
    let row = try sealer.seal(label, kind: kind, secret: secret)
    try VaultError.translating { () throws(SQLiteError) in try row.store(on: connection) }
  }

  /// The newest secret of a label and kind; nil where there is none.
  ///
  /// - Throws: `VaultError.corrupt` for a row that was altered or moved; it is left as it is.
  package func get(_ label: String, kind: String) throws(VaultError) -> Secret? {
    let row = try VaultError.translating { () throws(SQLiteError) in
      try SealedRow.load(label, kind: kind, on: connection)
    }
    guard let row else { return nil }
    return try sealer.open(row)
  }

  /// Forgets one secret; a missing one is fine.
  package func remove(_ label: String, kind: String) throws(VaultError) {
    try VaultError.translating { () throws(SQLiteError) in
      try SealedRow.remove(label, kind: kind, on: connection)
    }
    erase()
  }

  /// Forgets everything under a label, at once or, if it fails, not at all. Even the sealed bytes
  /// are erased from the files, unless another connection is reading just then.
  package func wipe(_ label: String) throws(VaultError) {
    try VaultError.translating { () throws(SQLiteError) in
      try SealedRow.removeAll(label, on: connection)
    }
    erase()
  }

  /// The labels that have a secret of a kind, in alphabetical order.
  package func labels(kind: String) throws(VaultError) -> [String] {
    try VaultError.translating { () throws(SQLiteError) in
      try connection.query(
        "SELECT label FROM vault_row WHERE kind = ? ORDER BY label", [.text(kind)]
      )
      .compactMap { $0.text("label") }
    }
  }

  /// Empties the log of what was just removed.
  private func erase() {
    // The removal is committed already; a later checkpoint makes up for one that fails.
    _ = try? connection.checkpoint()
  }

  static func unlock(
    _ header: VaultHeader, _ providers: [any KeyProvider]
  ) async throws(VaultError) -> Secret {
    guard let provider = providers.first(where: { $0.name == header.provider }),
      let key = try await provider.load(vault: header.vault)
    else { throw .keyMissing(provider: header.provider) }
    return try header.dataKey(unwrappedWith: key)
  }

  private static func make(
    on connection: SQLiteConnection, _ providers: [any KeyProvider], _ random: SystemRandom
  ) async throws(VaultError) -> (VaultHeader, Secret) {
    let rows = try VaultError.translating { () throws(SQLiteError) in
      try connection.query("SELECT count(*) AS n FROM vault_row").first?.integer("n")
    }
    guard rows == 0 else { throw .corrupt("there are sealed rows but no key row") }
    let vault = random.bytes(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined()
    let (provider, key) = try await firstKey(for: vault, providers, random)
    let dataKey = Secret(random.bytes(32))
    let header = try VaultHeader(
      vault: vault, provider: provider, dataKey: dataKey, wrappedWith: key, random: random)
    try VaultError.translating { () throws(SQLiteError) in try header.store(on: connection) }
    return (header, dataKey)
  }

  /// The key of the first provider that works. One that has a key already, from an attempt that was
  /// interrupted before the key row was written, keeps it.
  private static func firstKey(
    for vault: String, _ providers: [any KeyProvider], _ random: SystemRandom
  ) async throws(VaultError) -> (name: String, key: Secret) {
    var reason = VaultError.keyUnavailable(provider: "none")
    for provider in providers {
      do throws(VaultError) {
        if let key = try await provider.load(vault: vault) { return (provider.name, key) }
        return (provider.name, try await provider.create(vault: vault, random: random))
      } catch {
        if provider.isMandatory { throw error }
        reason = error
      }
    }
    throw reason
  }
}
