package import StrictJSON

/// How one authorization server is set up; the defaults are the reference server's for a public
/// client (atproto-wire §4.4).
package struct AuthorizationSettings: Sendable {
  /// Which permissions the consent page lets a person leave out.
  package enum ConsentChoices: Sendable {
    /// What the reference page offers: the e-mail address, and only without `transition:` items.
    case asReference
    /// Every item but `atproto`, so that partial grants can be tried by hand (G110).
    case everyItem
  }

  /// How long grants last.
  package var lifetimes: GrantLifetimes
  /// What can be unticked.
  package var consentChoices: ConsentChoices
  /// Lexicon documents of permission sets by NSID: all that `include:` can name.
  package var permissionSets: [String: JSONValue]

  /// Settings; without arguments the defaults, with every item up for unticking.
  package init(
    lifetimes: GrantLifetimes = GrantLifetimes(), consentChoices: ConsentChoices = .everyItem,
    permissionSets: [String: JSONValue] = [:]
  ) {
    self.lifetimes = lifetimes
    self.consentChoices = consentChoices
    self.permissionSets = permissionSets
  }
}

/// How long what the server hands out is good for.
package struct GrantLifetimes: Sendable, Equatable {
  /// A request URI; each load of the page starts it anew.
  package var request: Duration = .seconds(5 * 60)
  /// An authorization code.
  package var code: Duration = .seconds(5 * 60)
  /// An access token, unless its session ends earlier.
  package var accessToken: Duration = .seconds(60 * 60)
  /// A refresh token, counted from the last refresh.
  package var refreshToken: Duration = .seconds(14 * 24 * 60 * 60)
  /// The whole session, whatever its activity (G111).
  package var session: Duration = .seconds(14 * 24 * 60 * 60)

  /// The lifetimes of a public client.
  package init() {}
}
