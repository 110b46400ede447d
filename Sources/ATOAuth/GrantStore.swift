/// Where one account's grant is kept: a door, since this room knows no vault.
package struct GrantStore: Sendable {
  /// The account's grant as it is stored now; `nil` when the account is gone.
  package var load: @Sendable () async throws(GrantStoreError) -> Grant?
  /// Replaces the stored grant, whole, and returns once it would survive a crash.
  package var save: @Sendable (Grant) async throws(GrantStoreError) -> Void

  /// A store made of its closures.
  package init(
    load: @escaping @Sendable () async throws(GrantStoreError) -> Grant?,
    save: @escaping @Sendable (Grant) async throws(GrantStoreError) -> Void
  ) {
    self.load = load
    self.save = save
  }
}

/// The store could not be read or written; the words are for the log and name no secret.
package struct GrantStoreError: Error, Equatable, Sendable {
  /// A fixed word for the cause, as the store names it.
  package let reason: String

  /// A failure of the store.
  package init(_ reason: String) { self.reason = reason }
}
