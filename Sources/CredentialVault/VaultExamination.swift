import SQLiteDatabase
import SystemClients

/// What a look at a vault says, without a secret of it being shown or a key being made.
package struct VaultExamination: Equatable, Sendable {
  /// Nothing was ever stored.
  package var isBlank = true
  /// Who holds the key; `nil` where no vault was made yet.
  package var provider: String?
  /// How many secrets there are.
  package var secrets = 0
  /// How many of them do not open.
  package var damagedSecrets = 0
  /// What is wrong with the file, in the database's own words.
  package var problems: [String] = []
  /// Why the key cannot be had; then no secret was tried.
  package var keyFailure: VaultError?

  /// Looks at a copy of a store; the copy may change by it.
  ///
  /// - Parameters:
  ///   - path: the copy, its log beside it.
  ///   - schema: the store's whole list of migrations.
  ///   - providers: all there are; asked for a key, never to make one.
  /// - Throws: `VaultError` for a file that is no store of ours, or too damaged to be looked through.
  package init(
    copyAt path: String, schema: [String], providers: [any KeyProvider]
  ) async throws(VaultError) {
    let connection = try VaultError.translating { () throws(SQLiteError) in
      try SQLiteConnection(path: path)
    }
    isBlank = try VaultError.translating { () throws(SQLiteError) in try connection.isBlank() }
    if isBlank { return }
    let rows = try VaultError.translating { () throws(SQLiteError) in
      try connection.migrate(schema, applicationID: CredentialVault.applicationID)
      problems = try connection.integrityProblems()
      return try connection.query("SELECT label, kind, nonce, sealed FROM vault_row")
    }
    secrets = rows.count
    guard let header = try VaultHeader(on: connection) else {
      if secrets > 0 { problems.append("there are sealed rows but no key row") }
      return
    }
    provider = header.provider
    do throws(VaultError) {
      let sealer = try await CredentialVault.sealer(of: header, providers)
      damagedSecrets = rows.count { row in
        do throws(VaultError) {
          _ = try sealer.open(SealedRow(row))
          return false
        } catch {
          return true
        }
      }
    } catch {
      keyFailure = error
    }
  }
}

extension CredentialVault {
  fileprivate static func sealer(
    of header: VaultHeader, _ providers: [any KeyProvider]
  ) async throws(VaultError) -> VaultSealer {
    let dataKey = try await unlock(header, providers)
    do {
      // Opens only, so its randomness is never asked for.
      return try VaultSealer(dataKey: dataKey, random: .live)
    } catch {
      throw .corrupt("the data key has no proper length")
    }
  }
}

extension SealedRow {
  fileprivate init(_ row: SQLiteRow) {
    self.init(
      label: row.text("label") ?? "", kind: row.text("kind") ?? "",
      nonce: row.blob("nonce") ?? [], sealed: row.blob("sealed") ?? [])
  }
}
