import SystemClients

/// The list of accounts, as the sources of accounts see it.
package protocol AccountList: Actor {
  /// An account of the list.
  func record(_ account: AccountID) -> AccountRecord?

  /// Changes what is known of an account that has credentials; of any other, nothing.
  func edit(_ account: AccountID, _ change: @Sendable (inout AccountRecord) -> Void) async

  /// The account's tokens are being refreshed.
  func refreshBegan(_ account: AccountID)

  /// New tokens are stored, or the refresh failed in a way that keeps the account.
  func refreshEnded(_ account: AccountID)

  /// The provider ended the account's credentials, which are gone from the store.
  func ended(_ account: AccountID, _ reason: GrantEnd) async

  /// The account's credentials were given back at its own wish: it is forgotten, as a sign-out does.
  func leave(_ account: AccountID) async throws(AccountError)
}

/// The way from a source to the list that owns it.
package final class AccountListLink: Sendable {
  private struct Link: Sendable {
    weak var list: (any AccountList)?
  }

  private let link = Locked(Link())

  /// A link that leads nowhere yet.
  package init() {}

  /// The list; `nil` before it is there and after it has gone.
  package var list: (any AccountList)? { link.withLock(\.list) }

  /// Leads to this list from now on.
  package func connect(_ list: any AccountList) { link.withLock { $0.list = list } }
}
