package import OAuth
package import OpenSSLCrypto

/// What a callback must be to belong to the sign-in that waits for it (grain-product §17).
package struct ExpectedCallback: Equatable, Sendable {
  /// What ties a callback to this very attempt.
  package enum Binding: Equatable, Sendable {
    /// The value that was sent along; compared in constant time.
    case state(Secret)
    /// The web view in which the shell caught it; its provider sends no state back.
    case webView
  }

  /// Where it must arrive, to the last character.
  package let route: CallbackRoute
  /// What ties it to the attempt.
  package let binding: Binding
  /// Who was asked.
  package let provider: AccountProvider
  /// The name of the server that was asked, where it names itself in its answers.
  package let issuer: String?

  /// An expectation by its parts.
  package init(
    route: CallbackRoute, binding: Binding, provider: AccountProvider, issuer: String? = nil
  ) {
    self.route = route
    self.binding = binding
    self.provider = provider
    self.issuer = issuer
  }

  /// Whether a callback that came through a door is the one.
  ///
  /// Without a state only the shell can say that its web view caught it, and what brings no code is a
  /// page like any other (FB-G3).
  func matches(_ url: CallbackURL, from door: CallbackDoor) -> Bool {
    guard route.matches(url) else { return false }
    switch binding {
    case .state(let state): return url.state.map { state == Secret(text: $0) } ?? false
    case .webView: return door == .shell && url.code?.isEmpty == false
    }
  }
}

/// The way by which a callback came.
package enum CallbackDoor: Equatable, Sendable {
  /// The shell handed it over.
  case shell
  /// A port of ours took it.
  case loopback
  /// The desktop handed it to a second program, as the handler of its scheme.
  case desktop
}
