package import ATOAuth
import ATSyntax
import CredentialVault
import SQLiteDatabase

/// The one-time look at old grants after the app's permissions changed (G61–G66).
extension AccountStore {
  /// What the look has found.
  package enum ScopeMigration: Equatable, Sendable {
    /// It was done at an earlier launch, or dropped nobody now.
    case settled(Stored)
    /// Accounts have lost their credentials; whether nobody is left who has any (G64).
    case dropped(Stored, everybody: Bool)
  }

  private static let migrationSetting = "scopeMigrationDone_v3"

  /// Reads the list, at the first launch without the accounts that must sign in again: they lose their
  /// credentials and stay listed, so that they come back in one tap (G104).
  ///
  /// An account is dropped whose servers are not on record (G62) or whose grant lacks something of
  /// `required` (G63). The flag is set in the same transaction, also when there was nobody, so that
  /// no server that grants less can make people sign in again and again (G65, G66).
  ///
  /// - Parameters:
  ///   - required: the scope items no account may lack.
  ///   - revoking: the revocation of a grant that is dropped.
  /// - Returns: the list as it is now, and whether anybody was dropped.
  /// - Throws: when the store cannot be read or written; then nothing has changed.
  package func migrateScope(
    requiring required: [String], revoking: (Grant) -> QueuedRevocation?
  ) throws(StoreFault) -> ScopeMigration {
    if try stored({ try setting(Self.migrationSetting) }) != nil { return .settled(try current()) }
    var dropped = 0
    let left = try changing { roll in
      dropped = 0
      for record in roll.accounts where record.hasCredentials {
        guard let did = record.id.did else { continue }
        let grant: Grant?
        switch try onRecord(did) {
        case .unreadable: continue
        case .incomplete: grant = nil
        case .whole(let whole):
          if ScopeSet(whole.scope).missing(from: required).isEmpty { continue }
          grant = whole
        }
        dropped += 1
        try enqueue(grant.flatMap(revoking))
        try forgetCredentials(record.id)
        var record = record
        record.standing = .expired(.permissionsChanged)
        record.missingScopes = []
        try write(record, to: &roll)
      }
      try set(Self.migrationSetting, "true")
    }
    if dropped == 0 { return .settled(left) }
    eraseLog()
    return .dropped(left, everybody: !left.accounts.contains(where: \.hasCredentials))
  }

  private enum OnRecord {
    case whole(Grant)
    /// It lacks what a grant must have.
    case incomplete
    /// A row that does not open is another matter: the account is kept, and told of when it is used.
    case unreadable
  }

  private func onRecord(_ did: DID) throws -> OnRecord {
    do {
      return try held(did).map(OnRecord.whole) ?? .incomplete
    } catch is DamagedRecord {
      return .incomplete
    } catch is VaultError {
      return .unreadable
    }
  }
}
