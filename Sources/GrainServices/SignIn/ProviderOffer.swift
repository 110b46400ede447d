/// A provider as the sign-in screen offers it.
package struct ProviderOffer: Equatable, Sendable {
  /// What the person has to give before a page can be shown.
  package enum Need: String, Equatable, Sendable {
    /// A handle or a DID.
    case handle
    /// The address of a service.
    case server
    /// Nothing.
    case none
  }

  /// Why nobody can sign in with it.
  package enum Reason: Equatable, Sendable {
    /// The host application has not brought the client values it takes.
    case notConfigured
    /// The shell cannot show pages in a web view of its own, and no other browser will do (X11).
    case needsWebView
  }

  /// Who is offered.
  package let provider: AccountProvider
  /// Why it cannot be used; `nil` when it can.
  package let reason: Reason?
  /// What the person gives first.
  package let needs: Need
  /// Whether its page must be shown in a web view of the shell's own.
  package let needsWebView: Bool

  /// An offer by its parts.
  package init(
    provider: AccountProvider, reason: Reason? = nil, needs: Need, needsWebView: Bool = false
  ) {
    self.provider = provider
    self.reason = reason
    self.needs = needs
    self.needsWebView = needsWebView
  }

  /// Whether somebody can sign in with it.
  package var available: Bool { reason == nil }

  /// The offer for a shell that has, or has not, a web view of its own.
  package func inShell(withWebView hasWebView: Bool) -> ProviderOffer {
    guard reason == nil, needsWebView, !hasWebView else { return self }
    return ProviderOffer(
      provider: provider, reason: .needsWebView, needs: needs, needsWebView: needsWebView)
  }
}

extension ProviderOffer {
  /// What a configuration offers, in the order in which it is shown.
  package static func all(_ configuration: CoreConfiguration) -> [ProviderOffer] {
    [
      ProviderOffer(provider: .grain, needs: .handle),
      ProviderOffer(
        provider: .platrium, needs: configuration.platriumServer.isEmpty ? .server : .none),
      ProviderOffer(
        provider: .pixiv, reason: configuration.hasPixivClient ? nil : .notConfigured,
        needs: .none, needsWebView: true),
    ]
  }
}
