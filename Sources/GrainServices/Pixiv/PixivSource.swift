import HTTPTransport
package import OpenSSLCrypto
package import PixivOAuth
import SystemClients

/// Pixiv accounts: one owner of tokens each, which refreshes them once for everybody (X7, X17).
package actor PixivSource: AccountSource {
  /// Why tokens are not kept: the account has newer ones, or none.
  private struct Overtaken: Error {}

  private struct Owner {
    let session: PixivSession
    /// Tells owners of one account apart.
    let number: Int
    /// What the store is known to hold.
    var onDisk: Secret
  }

  private let store: AccountStore
  private let http: HTTPClient
  nonisolated let clock: SystemClock
  nonisolated let random: SystemRandom
  private let pixiv: PixivConfiguration?
  private let log: Log
  private let link: AccountListLink
  private let background = BackgroundWork()
  private var owners: [AccountID: Owner] = [:]
  private var owned = 0

  init(
    store: AccountStore, http: HTTPClient, clock: SystemClock, random: SystemRandom,
    configuration: CoreConfiguration, log: Log, link: AccountListLink
  ) {
    self.store = store
    self.http = http
    self.clock = clock
    self.random = random
    pixiv = configuration.pixiv
    self.log = log
    self.link = link
  }

  /// Nothing is revoked: Pixiv has no endpoint for it.
  package nonisolated var credentialsLast: Duration? { .zero }

  /// Exchanges a code for tokens.
  func exchange(
    _ code: Secret, of attempt: PixivAttempt, _ pixiv: PixivConfiguration
  ) async throws(PixivError) -> PixivTokens {
    try await PixivTokenEndpoint(configuration: pixiv, http: http, clock: clock)
      .exchange(code: code, of: attempt)
  }

  // MARK: Calls

  /// Makes a call as an account (X8, X9); tokens are refreshed where they must be, and are on disk before
  /// they are used.
  ///
  /// - Throws: `signInRequired` when the account has none.
  package func send<Answer>(
    _ call: PixivEndpoint<Answer>, as account: AccountID
  ) async throws(PixivError) -> Answer {
    let owner: Owner
    do throws(AccountError) {
      owner = try await self.owner(account)
    } catch {
      if case .store = error { throw .storeFailed }
      throw .signInRequired(nil)
    }
    return try await owner.session.send(call)
  }

  private func owner(_ account: AccountID) async throws(AccountError) -> Owner {
    if let owner = owners[account] { return owner }
    let sealed: Secret?
    do throws(StoreFault) {
      sealed = try await store.credentials(account)
    } catch {
      throw .store(error)
    }
    guard let sealed else { throw .sessionExpired }
    // A sign-in may have come while the store was read: one owner, always.
    if let owner = owners[account] { return owner }
    guard let owner = newOwner(account, sealed) else { throw .sessionExpired }
    return owner
  }

  /// The owner of tokens that are stored; `nil` where nobody can use them.
  private func newOwner(_ account: AccountID, _ sealed: Secret) -> Owner? {
    guard let pixiv, let tokens = PixivTokens(opening: sealed) else { return nil }
    owned += 1
    let number = owned
    let owner = Owner(
      session: PixivSession(
        tokens: tokens, configuration: pixiv, http: http, clock: clock,
        keep: { [weak self] tokens in try await self?.keep(tokens, of: account, number) }),
      number: number, onDisk: sealed)
    owners[account] = owner
    return owner
  }

  /// Puts new tokens on disk, or takes refused ones off it; only those of this very owner.
  ///
  /// - Throws: when they are not kept; they are not used then.
  private func keep(_ tokens: PixivTokens?, of account: AccountID, _ number: Int) async throws {
    guard let owner = owners[account], owner.number == number else { throw Overtaken() }
    guard let tokens else {
      owners[account] = nil
      guard try await store.end(account, owner.onDisk, .refused) else { return }
      await link.list?.ended(account, .refused)
      return
    }
    let sealed = tokens.sealed()
    guard try await store.replace(account, owner.onDisk, with: sealed) else { throw Overtaken() }
    if owners[account]?.number == number { owners[account]?.onDisk = sealed }
  }

  // MARK: Coming

  /// A new owner uses the new tokens; what the older one still hears is not kept.
  package func take(_ account: SignedInAccount) async {
    _ = newOwner(account.id, account.credentials)
  }

  /// Refreshes tokens that end within a minute; a passing fault leaves the old ones.
  package func freshen(_ account: AccountID) async throws(AccountError) {
    let owner = try await owner(account)
    do throws(PixivError) {
      try await owner.session.freshen()
    } catch {
      if error.endsSession { throw .sessionExpired }
      log.write(.debug, "pixiv", "tokens could not be refreshed")
    }
  }

  /// Refreshes what is stale, in the background.
  package func lookAfter(_ account: AccountID, _ occasion: AccountOccasion) async {
    if case .signedIn = occasion { return }
    background.start { [weak self] in await self?.inspect(account) }
  }

  /// Refreshes what is stale, and shows who the newest answer names.
  private func inspect(_ account: AccountID) async {
    do throws(AccountError) {
      let owner = try await owner(account)
      try await freshen(account)
      let user = await owner.session.user
      // The answer is about the tokens it was asked with, whoever is shown meanwhile (A30).
      guard owners[account]?.number == owner.number, AccountID.pixiv(user: user.id) == account
      else {
        return
      }
      guard let known = await link.list?.record(account), !known.isNamed(as: user) else { return }
      await link.list?.edit(account) { record in
        record.handle = user.account
        record.displayName = user.name
        record.avatar = user.avatarAddress ?? record.avatar
      }
    } catch {
      log.write(.debug, "pixiv", "an account could not be looked after")
    }
  }

  // MARK: Going

  /// Nothing is revoked.
  package func superseded(by account: SignedInAccount) async -> QueuedRevocation? { nil }

  /// Local: no later answer to this owner is kept.
  package func retire(_ account: AccountID) async -> QueuedRevocation? {
    owners[account] = nil
    return nil
  }

  /// Nothing can be given back.
  package func discard(_ account: SignedInAccount) async {}

  /// Nothing of Pixiv's is ever queued.
  package func revoke(_ revocation: Secret) async -> RevocationOutcome { .unreadable }

  /// Returns when nothing goes on in the background.
  package func upkeepEnded() async { await background.ended() }

  /// Waits for refreshes that were sent.
  package func settle() async {
    await background.cancel()
    // A refresh that was sent is answered and stored before the store is closed.
    for owner in owners.values { await owner.session.settle() }
  }
}

extension AccountRecord {
  /// Whether the person is shown as this already.
  fileprivate func isNamed(as user: PixivUser) -> Bool {
    handle == user.account && displayName == user.name
      && (user.avatarAddress == nil || avatar == user.avatarAddress)
  }
}
