import HTTPTransport
import OpenSSLCrypto
import PlatriumTokens
import SystemClients

/// Devices and apps of an account, and where its push messages go.
extension PlatriumSource {
  /// The list, asked of the service.
  func devices(_ account: AccountID) async throws(DeviceError) -> [DeviceEntry] {
    try await call(account, try await held(account)) { client, token async throws(PlatriumError) in
      try await client.clients(token).map(DeviceEntry.init)
    }
  }

  /// Revokes an entry (P38). One's own is gone with its token, and the device with it (P8): the account
  /// is signed out here as well.
  func revokeDevice(_ account: AccountID, _ entry: String) async throws(DeviceError) {
    let credentials = try await held(account)
    var own = credentials.clientID
    if own == nil {
      // A pasted token does not say which entry it is.
      own = try await call(account, credentials) { client, token async throws(PlatriumError) in
        try await client.clients(token)
      }.first(where: \.isCurrent)?.id
    }
    try await call(account, credentials) { client, token async throws(PlatriumError) in
      try await client.revoke(entry, token)
    }
    // Who has signed in again meanwhile has another entry, and stays (A30).
    guard entry == own, holds(account, credentials) else { return }
    do throws(AccountError) {
      try await list?.leave(account)
    } catch {
      throw DeviceError(error)
    }
  }

  /// Sets or clears this device's push token: it is on disk before the service hears of it, so that a
  /// new sign-in brings it along (P42, P44).
  func setPush(
    _ account: AccountID, _ transport: String, _ token: Secret?
  ) async throws(DeviceError) {
    let credentials = try await held(account)
    // What the service would refuse is not asked (P7).
    guard credentials.isDevice || token == nil else { throw .forbidden(detail: nil) }
    let push = token.map { PlatriumPush(transport: transport, token: $0) }
    let isKept: Bool
    do throws(StoreFault) {
      isKept = try await store.keepPush(account, push?.sealable())
    } catch {
      throw .store(error)
    }
    guard isKept else { throw .unknown }
    guard credentials.isDevice else { return }
    try await call(account, try await held(account)) { client, token async throws(PlatriumError) in
      if let push {
        try await client.setPush(transport: push.transport, pushToken: push.token, token)
      } else {
        try await client.clearPush(token)
      }
    }
    do throws(StoreFault) {
      try await settlePush(account, credentials, push, isRegistered: true)
    } catch {
      throw .store(error)
    }
  }

  private func held(_ account: AccountID) async throws(DeviceError) -> PlatriumCredentials {
    guard account.provider == .platrium, await list?.record(account) != nil else {
      throw .unknown
    }
    do throws(AccountError) {
      return try await credentials(account)
    } catch {
      throw DeviceError(error)
    }
  }

  private func call<Answer: Sendable>(
    _ account: AccountID, _ credentials: PlatriumCredentials,
    _ work: @Sendable (PlatriumClient, PlatriumToken) async throws(PlatriumError) -> Answer
  ) async throws(DeviceError) -> Answer {
    do throws(PlatriumError) {
      return try await work(client(credentials.server), credentials.token)
    } catch {
      if error.endsSession { await ended(account, credentials) }
      throw DeviceError(error, host: credentials.server.host)
    }
  }
}

extension DevicesDoor {
  /// The real service behind the door.
  package static func live(_ service: AccountService) -> DevicesDoor {
    let source = service.sources.platrium
    return DevicesDoor(
      list: { account async throws(DeviceError) in try await source.devices(account) },
      revoke: { account, entry async throws(DeviceError) in
        try await source.revokeDevice(account, entry)
      },
      setPush: { account, transport, token async throws(DeviceError) in
        try await source.setPush(account, transport, token)
      })
  }
}

extension DeviceEntry {
  init(_ entry: PlatriumClientEntry) {
    self.init(
      id: entry.id, kind: entry.kind == .device ? .device : .app, name: entry.name,
      platform: entry.platform, appVersion: entry.appVersion, createdAt: entry.createdAt,
      lastUsedAt: entry.lastUsedAt, pushTransport: entry.pushTransport,
      isCurrent: entry.isCurrent)
  }
}

extension DeviceError {
  init(_ error: AccountError) {
    self =
      switch error {
      case .unknown, .deletion: .unknown
      case .sessionExpired: .sessionExpired
      case .store(let fault): .store(fault)
      }
  }

  init(_ error: PlatriumError, host: String) {
    self =
      switch error {
      case .tokenGone: .sessionExpired
      case .forbidden(let detail): .forbidden(detail: detail)
      case .notFound: .remote(.badResponse(host: host, detail: "status 404"))
      case .rateLimited(let wait): .remote(.rateLimited(host: host, retryAfter: wait))
      case .refused(let code, let message): .refused(host: host, error: code, detail: message)
      case .server(let status): .remote(RemoteFault(status: status, host: host))
      case .network(let error): .remote(RemoteFault(error, host: host))
      case .denied, .callbackMismatch, .codeRefused, .answerLost, .invalidToken:
        .remote(.badResponse(host: host, detail: nil))
      }
  }
}

extension RemoteFault {
  /// A status that says no more: 5xx is the server's own fault, anything else makes no sense here.
  init(status: Int, host: String) {
    self =
      status >= 500
      ? .server(host: host, detail: nil) : .badResponse(host: host, detail: "status \(status)")
  }
}
