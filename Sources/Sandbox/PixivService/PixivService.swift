import HTTPTransport

package import Foundation
package import HTTPServing
package import SystemClients

/// A service like Pixiv, with the real one's habits: a login that ends in a scheme only a web view can catch,
/// codes of half a minute, 400 for a token that has ended, errors in several shapes, pages instead of JSON.
///
/// One origin stands for its login, token, API and image hosts. It knows nothing of the client under test.
/// - SeeAlso: grain-product §19, field bugs G
package final class PixivService: Sendable {
  /// What it is told to do wrong.
  package let faults = PixivFaults()
  let context: PixivServiceContext

  /// A service known by that origin, with the people of its settings.
  package init(
    url: URL, store: SandboxStore, clock: SystemClock, random: SystemRandom,
    settings: PixivServiceSettings = PixivServiceSettings()
  ) {
    context = PixivServiceContext(
      origin: url.origin?.description ?? url.absoluteString,
      store: PixivServiceStore(store: store), clock: clock, random: random, settings: settings,
      faults: faults)
  }

  /// Adds the people of the settings who are not there yet.
  package func prepare() async throws {
    try await context.store.insert(context.settings.people) { context.random.bytes(16) }
  }

  /// Answers a request.
  package func handle(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    do {
      if let page = try await PixivPages(service: context).answer(request) { return page }
      if let picture = PixivPictures.answer(request) { return picture }
      if let refusal = PixivGate(service: context).refusal(request) { return refusal }
      if request.path == PixivTokens.path {
        return try await PixivTokens(service: context).answer(request)
      }
      return try await PixivAPI(service: context).answer(request)
    } catch {
      return .text("Internal Server Error", status: 500)
    }
  }
}

extension PixivService {
  /// Ends every access token of an account now; its refresh tokens work on.
  package func expireAccessTokens(of account: String) async throws {
    try await context.store.expireAccess(of: account)
  }

  /// Ends everything an account has handed out: its refresh tokens are refused from now on (X18).
  package func revokeTokens(of account: String) async throws {
    try await context.store.revoke(of: account)
  }

  /// Bans an account, or lets it in again. A banned one still gets fresh tokens, and they never work.
  package func setBanned(_ isBanned: Bool, account: String) async throws {
    try await context.store.setBanned(isBanned, account: account)
  }

  /// How many refresh tokens an account has out.
  package func signIns(of account: String) async throws -> Int {
    try await context.store.signIns(of: account)
  }
}

/// What the parts of the service share.
struct PixivServiceContext: Sendable {
  let origin: String
  let store: PixivServiceStore
  let clock: SystemClock
  let random: SystemRandom
  let settings: PixivServiceSettings
  let faults: PixivFaults

  var now: Date { clock.now() }

  /// Host and port, as people read it.
  var host: String { origin.split(separator: "/").last.map(String.init) ?? origin }

  /// The moment that long from now.
  func after(_ life: Duration) -> Date { now.addingTimeInterval(life / .seconds(1)) }
}
