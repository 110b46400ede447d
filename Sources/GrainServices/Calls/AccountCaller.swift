import ATOAuth
import ATSyntax
import ATXRPC
import Foundation
import GrainLexicon
import HTTPTransport
import StrictJSON

/// Makes calls for one account, at whatever home server it has by then.
struct AccountCaller: Sendable {
  let session: TokenSession
  let http: HTTPClient
  let configuration: CoreConfiguration
  /// Fails for an account whose server takes no writes from it.
  let requireActive: @Sendable () async throws(CallFault) -> Void
  /// Hears the error with which a server says that the account is not active.
  let foundInactive: @Sendable (_ error: String) async -> Void
  /// Looks whether the account has moved away from there, and says whether calls now go somewhere else
  /// (G101).
  let relocate: @Sendable (_ base: URL) async -> Bool

  /// The home server's name, for the person.
  var host: String {
    get async { await session.pds.host() ?? "" }
  }

  /// What a server would refuse is not sent (G109).
  func require(_ needs: [ScopeNeed]) async throws(CallFault) {
    if needs.isEmpty { return }
    if let missing = ScopeSet(await session.scope).firstMissing(of: needs) {
      throw .scopeMissing(session.did, scope: missing.item)
    }
  }

  /// A call that changes the repository.
  func write(
    needing needs: [ScopeNeed],
    _ call: @Sendable (XRPCClient) async throws(XRPCError) -> JSONValue
  ) async throws(CallFault) -> JSONValue {
    try await require(needs)
    try await requireActive()
    return try await perform(isRepeatable: false, call)
  }

  /// Any call; one that meets a server where the account is no longer is made once more at the new one,
  /// unless it changes something and the old one may have taken it (G101, G108).
  func perform(
    needing needs: [ScopeNeed] = [], isRepeatable: Bool = true,
    _ call: @Sendable (XRPCClient) async throws(XRPCError) -> JSONValue
  ) async throws(CallFault) -> JSONValue {
    try await require(needs)
    do throws(XRPCError) {
      return try await attempt(isRepeatable: isRepeatable, call)
    } catch {
      throw await fault(error)
    }
  }

  /// The same for who needs to know in the protocol's own words what came of it.
  func attempt(
    isRepeatable: Bool, _ call: @Sendable (XRPCClient) async throws(XRPCError) -> JSONValue
  ) async throws(XRPCError) -> JSONValue {
    let base = await session.pds
    do throws(XRPCError) {
      return try await call(client(at: base))
    } catch {
      guard error.mayMeanMoved, await relocate(base), isRepeatable || !error.mayHaveLanded else {
        throw await session.over ?? error
      }
      return try await call(client(at: await session.pds))
    }
  }

  /// A failed call as services see it; whoever must know that the account is not active is told.
  func fault(_ error: XRPCError) async -> CallFault {
    if case .storeFailed = error, let fault = await session.storeFault { return .store(fault) }
    if case .accountState(let name, _) = error { await foundInactive(name) }
    return CallFault(
      error, did: session.did, host: await host,
      authorizationHost: await session.authorizationHost)
  }

  private func client(at base: URL) -> XRPCClient {
    XRPCClient(
      base: base, http: http, authorization: session.authorization,
      proxy: configuration.appView?.proxyHeader,
      deadline: .milliseconds(configuration.times.requestMs))
  }
}

extension XRPCError {
  /// Whether the account may be somewhere else by now: its server does not know it or its tokens, or
  /// is not there. Without any network nothing can be said.
  fileprivate var mayMeanMoved: Bool {
    switch self {
    case .unauthorized: true
    case .forbidden(_, let detail), .http(let detail):
      ["AccountNotFound", "RepoNotFound"].contains(detail.error)
    case .transport(.cannotFindHost), .transport(.cannotConnect), .transport(.timeout),
      .transport(.tls):
      true
    default: false
    }
  }
}
