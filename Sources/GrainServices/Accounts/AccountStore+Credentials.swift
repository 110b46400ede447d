import CredentialVault
package import OpenSSLCrypto
import SQLiteDatabase

/// Credentials of accounts whose provider gives them as one secret.
///
/// Like grants, they change only while the store still holds those the change was made for: what a
/// server says of older ones says nothing about newer ones (FB-E8).
extension AccountStore {
  private static let pushKind = "push"

  /// An account's credentials, opened; `nil` when it has none.
  package func credentials(_ id: AccountID) throws(StoreFault) -> Secret? {
    try stored { try unsealed(id) }
  }

  /// Puts newer credentials in the place of older ones; storing them twice is the same as once.
  ///
  /// - Returns: `false` when the account has others by now, or none: nothing was written then.
  package func replace(
    _ id: AccountID, _ older: Secret, with newer: Secret
  ) throws(StoreFault) -> Bool {
    try stored {
      try database.transaction {
        guard let held = try unsealed(id), held == older || held == newer else { return false }
        try seal(newer, of: id)
        return true
      }
    }
  }

  /// Drops an account's credentials at once; it stays listed for a return in one tap, and the next
  /// account with credentials becomes the active one.
  ///
  /// - Returns: `false` when the account has other credentials by now, or none: nothing was written
  ///   then.
  package func end(
    _ id: AccountID, _ credentials: Secret, _ reason: GrantEnd
  ) throws(StoreFault) -> Bool {
    guard try self.credentials(id) == credentials else { return false }
    _ = try changing { roll in
      try forgetCredentials(id)
      guard var record = roll.record(id) else { return }
      record.standing = .expired(reason)
      try write(record, to: &roll)
    }
    eraseLog()
    return true
  }

  // MARK: Push

  /// Where an account's push messages go, as its source wrote it; `nil` for nowhere.
  package func push(_ id: AccountID) throws(StoreFault) -> Secret? {
    try stored {
      try SealedRow.load(id.rawValue, kind: Self.pushKind, on: database)
        .map { try sealer.open($0) }
    }
  }

  /// Remembers where an account's push messages go; it outlives a token that has ended, and goes with
  /// the account.
  ///
  /// - Returns: `false` when there is no such account any more: nothing was written then.
  package func keepPush(_ id: AccountID, _ push: Secret?) throws(StoreFault) -> Bool {
    guard try current().accounts.contains(where: { $0.id == id }) else { return false }
    try stored {
      if let push {
        try sealer.seal(id.rawValue, kind: Self.pushKind, secret: push).store(on: database)
      } else {
        try SealedRow.remove(id.rawValue, kind: Self.pushKind, on: database)
      }
    }
    if push == nil { eraseLog() }
    return true
  }

  /// Notes what has become of a push registration.
  ///
  /// - Returns: `false` when the account has another one by now, or none: nothing was written then.
  package func replacePush(
    _ id: AccountID, _ older: Secret, with newer: Secret
  ) throws(StoreFault) -> Bool {
    guard try push(id) == older else { return false }
    return try keepPush(id, newer)
  }
}
