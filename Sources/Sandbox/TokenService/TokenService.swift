import HTTPTransport

package import Foundation
package import HTTPServing
package import SystemClients

/// A service like Platrium: one kind of token for every client that is no browser, a consent page behind a
/// login, a list of devices and apps.
///
/// It knows nothing of the client under test. It opens no socket: the network hands it requests.
/// - SeeAlso: requirements P1–P48, grain-product §18
package final class TokenService: Sendable {
  let context: TokenServiceContext

  /// A service known by that origin, with the people of its settings.
  package init(
    url: URL, store: SandboxStore, clock: SystemClock, random: SystemRandom,
    settings: TokenServiceSettings = TokenServiceSettings()
  ) {
    context = TokenServiceContext(
      origin: url.origin?.description ?? url.absoluteString,
      store: TokenServiceStore(store: store), clock: clock, random: random, settings: settings,
      redirects: NativeRedirects(
        appSchemes: settings.appSchemes, httpsEntries: settings.httpsRedirects),
      allowance: RequestAllowance(limit: settings.tokenRequests, window: settings.tokenWindow))
  }

  /// Adds the people of the settings who are not there yet.
  package func prepare() async throws {
    try await context.store.insert(context.settings.people) { context.random.bytes(16) }
  }

  /// Answers a request.
  package func handle(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    request.path.hasPrefix(TokenServiceAPI.base)
      ? await TokenServiceAPI(service: context).answer(request)
      : await TokenServicePages(service: context).answer(request)
  }
}

extension TokenService {
  /// The devices and apps of somebody, oldest first.
  package func clients(of userID: String) async throws -> [TokenServiceClient] {
    try await context.store.clients(of: userID)
  }

  /// Revokes a device or an app as its owner would in another window.
  ///
  /// - Returns: `false` when there is none of that id.
  @discardableResult
  package func revoke(client id: String, of userID: String) async throws -> Bool {
    try await context.store.deleteClient(id, of: userID)
  }

  /// Revokes every device and app of somebody; browser sessions stay.
  package func revokeAll(of userID: String) async throws {
    for client in try await clients(of: userID) {
      try await revoke(client: client.id, of: userID)
    }
  }
}

/// What the parts of the service share.
struct TokenServiceContext: Sendable {
  let origin: String
  let store: TokenServiceStore
  let clock: SystemClock
  let random: SystemRandom
  let settings: TokenServiceSettings
  let redirects: NativeRedirects
  let allowance: RequestAllowance

  var now: Date { clock.now() }

  /// Host and port, as people read it.
  var host: String { origin.split(separator: "/").last.map(String.init) ?? origin }
}
