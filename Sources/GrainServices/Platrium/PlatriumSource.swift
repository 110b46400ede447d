import HTTPTransport
package import OpenSSLCrypto
import PlatriumTokens
import SystemClients

/// Platrium accounts: one token each, which lives until the service says that it is gone (P9).
package actor PlatriumSource: AccountSource {
  let store: AccountStore
  private let http: HTTPClient
  nonisolated let clock: SystemClock
  nonisolated let random: SystemRandom
  nonisolated let configuration: CoreConfiguration
  let log: Log
  private let link: AccountListLink
  private let background = BackgroundWork()
  /// Codes that were sent. Their answer is the only copy of a token that never ends, so nothing cancels
  /// them: it is kept, or given back (A46).
  nonisolated let exchanges = BackgroundWork()
  /// One for each service: a wait it asks for binds every call there (P48).
  private var clients: [PlatriumServer: PlatriumClient] = [:]
  /// What the store holds, as far as it was needed.
  private var held: [AccountID: PlatriumCredentials] = [:]

  init(
    store: AccountStore, http: HTTPClient, clock: SystemClock, random: SystemRandom,
    configuration: CoreConfiguration, log: Log, link: AccountListLink
  ) {
    self.store = store
    self.http = http
    self.clock = clock
    self.random = random
    self.configuration = configuration
    self.log = log
    self.link = link
  }

  /// A token is good until the service forgets it.
  package nonisolated var credentialsLast: Duration? { nil }

  nonisolated var list: (any AccountList)? { link.list }

  /// Who calls a service.
  func client(_ server: PlatriumServer) -> PlatriumClient {
    if let client = clients[server] { return client }
    let client = PlatriumClient(
      server: server, http: http, clock: clock,
      deadline: .milliseconds(configuration.times.requestMs))
    clients[server] = client
    return client
  }

  /// The account's credentials.
  ///
  /// - Throws: `sessionExpired` when it has none.
  func credentials(_ account: AccountID) async throws(AccountError) -> PlatriumCredentials {
    if let known = held[account] { return known }
    let sealed: Secret?
    do throws(StoreFault) {
      sealed = try await store.credentials(account)
    } catch {
      throw .store(error)
    }
    guard let found = sealed.flatMap(PlatriumCredentials.init(unsealed:)) else {
      throw .sessionExpired
    }
    // A sign-in may have come while the store was read.
    if let newer = held[account] { return newer }
    held[account] = found
    return found
  }

  /// Whether the account still has these credentials, and not others or none.
  func holds(_ account: AccountID, _ credentials: PlatriumCredentials) -> Bool {
    held[account] == credentials
  }

  // MARK: Coming

  /// Uses the new token from now on.
  package func take(_ account: SignedInAccount) async {
    held[account.id] = PlatriumCredentials(unsealed: account.credentials)
  }

  /// There is nothing to refresh (P9).
  package func freshen(_ account: AccountID) async throws(AccountError) {
    _ = try await credentials(account)
  }

  /// Tells the service where to send push messages, before anybody hears that the device is signed in
  /// (P42). A service that does not take it now is told when the account is shown next.
  package func introduce(_ account: AccountID) async {
    do throws(AccountError) {
      await registerPush(account, try await credentials(account))
    } catch {
      log.write(.warn, "platrium", "a new account could not be read")
    }
  }

  /// Sends the push token that is kept for an account, if one is.
  private func registerPush(_ account: AccountID, _ credentials: PlatriumCredentials) async {
    guard credentials.isDevice, let push = await push(account) else { return }
    var isRegistered = true
    do throws(PlatriumError) {
      try await client(credentials.server).setPush(
        transport: push.transport, pushToken: push.token, credentials.token)
    } catch {
      log.write(.warn, "platrium", "push could not be registered")
      isRegistered = false
      if error.endsSession { return await ended(account, credentials) }
    }
    do throws(StoreFault) {
      try await settlePush(account, credentials, push, isRegistered: isRegistered)
    } catch {
      log.write(.error, "platrium", "a push token could not be stored")
    }
  }

  /// Notes what came of sending a token, or of taking the registration back (`sent` is `nil` then).
  ///
  /// What is kept by now may be another token, or none, and the service may have heard of that before: then it
  /// is told again, so that it has heard last what is kept.
  func settlePush(
    _ account: AccountID, _ credentials: PlatriumCredentials, _ sent: PlatriumPush?,
    isRegistered: Bool
  ) async throws(StoreFault) {
    if let sent {
      var told = sent
      told.isRegistered = isRegistered
      let isNoted = try await store.replacePush(account, sent.sealable(), with: told.sealable())
      if isNoted { return }
    }
    let isKept = try await store.push(account) != nil
    guard held[account] == credentials, isKept || sent != nil else { return }
    if isKept {
      await registerPush(account, credentials)
    } else {
      await clearPush(credentials)
    }
  }

  /// Takes back a registration that came after the person wanted none any more.
  private func clearPush(_ credentials: PlatriumCredentials) async {
    do throws(PlatriumError) {
      try await client(credentials.server).clearPush(credentials.token)
    } catch {
      log.write(.warn, "platrium", "push could not be cleared")
    }
  }

  // MARK: Looking after

  /// Asks who the token acts for (P41); offline the account is shown as it was (A43).
  package func lookAfter(_ account: AccountID, _ occasion: AccountOccasion) async {
    if case .signedIn = occasion { return }
    background.start { [weak self] in await self?.inspect(account) }
  }

  private func inspect(_ account: AccountID) async {
    do throws(AccountError) {
      let credentials = try await credentials(account)
      let session: PlatriumSession
      do throws(PlatriumError) {
        session = try await client(credentials.server).me(credentials.token)
      } catch {
        // Only a 401 says anything about the token: 403, 429, 5xx and silence never do (P9).
        if error.endsSession { return await ended(account, credentials) }
        return log.write(.debug, "platrium", "account state is not known")
      }
      // The answer is about the token it was asked with, whoever is shown meanwhile (A30).
      guard held[account] == credentials, session.user.id == credentials.userID else { return }
      await list?.edit(account) { record in
        record.displayName = session.displayName ?? record.displayName
        if let tenant = session.tenantName { record.platrium?.tenant = tenant }
      }
      if await push(account)?.isRegistered == false { await registerPush(account, credentials) }
    } catch {
      log.write(.debug, "platrium", "an account could not be read")
    }
  }

  /// The service has forgotten a token: so do we, unless the account has another one by now.
  func ended(_ account: AccountID, _ credentials: PlatriumCredentials) async {
    do throws(StoreFault) {
      guard try await store.end(account, credentials.sealable(), .refused) else { return }
    } catch {
      // The next call is refused as well, and tries again.
      return log.write(.error, "platrium", "an ended account could not be stored")
    }
    if held[account] == credentials { held[account] = nil }
    await list?.ended(account, .refused)
  }

  // MARK: Push

  func push(_ account: AccountID) async -> PlatriumPush? {
    do throws(StoreFault) {
      return try await store.push(account).flatMap(PlatriumPush.init(unsealed:))
    } catch {
      log.write(.error, "platrium", "a push token could not be read")
      return nil
    }
  }

  // MARK: Going

  /// The older token is given back, unless it is the same one.
  package func superseded(by account: SignedInAccount) async -> QueuedRevocation? {
    let newer = PlatriumCredentials(unsealed: account.credentials)
    do throws(AccountError) {
      let older = try await credentials(account.id)
      // The same token pasted again is not to be revoked.
      return older.token == newer?.token ? nil : farewell(older)
    } catch {
      return nil
    }
  }

  /// Uses the token no more.
  ///
  /// - Returns: what the service has to be told.
  package func retire(_ account: AccountID) async -> QueuedRevocation? {
    do throws(AccountError) {
      let credentials = try await credentials(account)
      held[account] = nil
      return farewell(credentials)
    } catch {
      // What cannot be opened cannot be revoked; it can still be removed.
      return nil
    }
  }

  /// Gives a token back that the store does not take; one that a person made stays theirs.
  package func discard(_ account: SignedInAccount) async {
    guard let credentials = PlatriumCredentials(unsealed: account.credentials),
      !credentials.isPasted
    else { return }
    if await leave(PlatriumFarewell(credentials)) != .done {
      log.write(.warn, "platrium", "a token could not be given back")
    }
  }

  private func farewell(_ credentials: PlatriumCredentials) -> QueuedRevocation {
    QueuedRevocation(
      of: .platrium, request: PlatriumFarewell(credentials).sealable(), at: clock.now(),
      random: random)
  }

  /// Tells the service once.
  package func revoke(_ revocation: Secret) async -> RevocationOutcome {
    guard let farewell = PlatriumFarewell(unsealed: revocation) else { return .unreadable }
    return await leave(farewell)
  }

  private func leave(_ farewell: PlatriumFarewell) async -> RevocationOutcome {
    let client = client(farewell.server)
    return await farewell.say(
      through: client, within: .milliseconds(configuration.times.revocationMs))
  }

  /// Returns when nothing goes on in the background.
  package func upkeepEnded() async {
    await background.ended()
    await exchanges.ended()
  }

  /// Stops asking, and waits for codes that were sent.
  package func settle() async {
    await background.cancel()
    await exchanges.ended()
  }
}

extension PlatriumSession {
  /// What people call the account: a name, else the address it is written to.
  var displayName: String? {
    if let name = user.name, !name.isEmpty { return name }
    return user.email
  }
}
