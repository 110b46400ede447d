package import OpenSSLCrypto

/// What a sign-in has brought, ready to be stored.
package struct SignedInAccount: Sendable {
  /// Whose it is.
  package let id: AccountID
  /// What the account is called at its provider; `nil` where it has no name there, or none was confirmed
  /// yet.
  package let handle: String?
  /// What it calls itself; `nil` leaves what is known.
  package let displayName: String?
  /// An `https` address; `nil` leaves what is known.
  package let avatar: String?
  /// Scope items of ours that were not granted (G110).
  package let missingScopes: [String]
  /// Where a Platrium account lives.
  package let platrium: PlatriumHome?
  /// Everything secret, as one row of the vault.
  package let credentials: Secret

  /// An account by its parts.
  package init(
    id: AccountID, handle: String?, displayName: String? = nil, avatar: String? = nil,
    missingScopes: [String] = [], platrium: PlatriumHome? = nil, credentials: Secret
  ) {
    self.id = id
    self.handle = handle
    self.displayName = displayName
    self.avatar = avatar
    self.missingScopes = missingScopes
    self.platrium = platrium
    self.credentials = credentials
  }

  /// The account's row with what is new in it.
  func record(over known: AccountRecord?, keepingDeletion: Bool) -> AccountRecord {
    var record = known ?? AccountRecord(id: id, handle: handle)
    // Not yet confirmed is not refuted: a known handle stays until it is looked up (FB-A29).
    record.handle = handle ?? record.handle
    record.displayName = displayName ?? record.displayName
    record.avatar = avatar ?? record.avatar
    record.platrium = platrium ?? record.platrium
    record.standing = .ok
    record.missingScopes = missingScopes
    if !keepingDeletion { record.deletion = nil }
    return record
  }
}

/// Where a Platrium account lives, and as what it signed in; nothing secret.
package struct PlatriumHome: Codable, Equatable, Sendable {
  /// The service's address.
  package var server: String
  /// Whose customer the account is (P28), for people.
  package var tenant: String?
  /// As which device; `nil` for an app.
  package var device: PlatriumDevice?

  /// A home by its parts.
  package init(server: String, tenant: String? = nil, device: PlatriumDevice? = nil) {
    self.server = server
    self.tenant = tenant
    self.device = device
  }
}
