import HTTPTransport
import OAuth
import SystemClients

/// The source of every provider.
package struct AccountSources: Sendable {
  /// Accounts at their own home servers.
  package let grain: GrainSource
  /// Accounts at Platrium services.
  package let platrium: PlatriumSource
  /// Accounts at Pixiv.
  package let pixiv: PixivSource
  /// The way to the list that will own them.
  let link = AccountListLink()

  /// Sources over one store and one network.
  init(
    store: AccountStore, http: HTTPClient, environment: DPoPEnvironment,
    configuration: CoreConfiguration, log: Log, upkeep: AccountUpkeep?
  ) {
    grain = GrainSource(
      store: store, http: http, environment: environment, configuration: configuration, log: log,
      upkeep: upkeep, link: link)
    platrium = PlatriumSource(
      store: store, http: http, clock: environment.clock, random: environment.random,
      configuration: configuration, log: log, link: link)
    pixiv = PixivSource(
      store: store, http: http, clock: environment.clock, random: environment.random,
      configuration: configuration, log: log, link: link)
  }

  /// The source of a provider.
  package subscript(_ provider: AccountProvider) -> any AccountSource {
    switch provider {
    case .grain: grain
    case .platrium: platrium
    case .pixiv: pixiv
    }
  }

  /// The source of an account.
  package subscript(_ account: AccountID) -> any AccountSource { self[account.provider] }

  /// Every source.
  var all: [any AccountSource] { AccountProvider.allCases.map { self[$0] } }
}
