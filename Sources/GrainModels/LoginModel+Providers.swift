package import GrainServices
import GrainSnapshots
package import OpenSSLCrypto

/// Signing in with others than Grain: whom the form is for, and what it takes.
extension LoginModel {
  /// How the person agrees, where no handle is needed.
  package enum Consent: String, Sendable {
    /// On a page of the provider.
    case browser
    /// On another device, with a code typed there.
    case deviceCode
  }

  // MARK: State

  /// The ways to sign in; none where there is nothing to choose.
  var providers: OrderedMap<LoginSnapshot.Provider> {
    var map: OrderedMap<LoginSnapshot.Provider> = [:]
    guard offers.count > 1 else { return map }
    for offer in offers {
      map[offer.provider.rawValue] = LoginSnapshot.Provider(
        available: canUse(offer.provider), reason: reason(against: offer),
        needs: LoginSnapshot.Provider.Needs(offer.needs))
    }
    return map
  }

  /// Whom the open form or the running sign-in is for; absent where there is nothing to choose.
  var shownChoice: String? {
    guard offers.count > 1, phase != .signedOut, phase != .signedIn else { return nil }
    return chosen.rawValue
  }

  /// What can be done in the open form beside leaving it.
  var form: [IntentName] {
    switch chosen {
    case .grain:
      let submit: [IntentName] = isAvailable ? [.loginSubmitHandle] : []
      let highlight: [IntentName] = suggestions.items.isEmpty ? [] : [.loginHighlight]
      return [.loginSetHandle] + highlight + submit
    // A token made by hand needs no page (P25).
    case .platrium: return (isAvailable ? [.loginSubmit] : []) + [.loginSubmitToken]
    case .pixiv: return canUse(.pixiv) ? [.loginSubmit] : []
    }
  }

  /// Whether somebody can sign in so, on this machine with this shell.
  func canUse(_ provider: AccountProvider) -> Bool {
    guard let offer = offers.first(where: { $0.provider == provider }) else { return false }
    return offer.available && (isAvailable || provider == .platrium)
  }

  private func reason(against offer: ProviderOffer) -> Message? {
    if canUse(offer.provider) { return nil }
    if let reason = offer.reason { return Problem(.unavailable(offer.provider, reason)).message }
    return Message(
      key: "login.noBrowser",
      fallback: "This app cannot show sign-in pages, so nobody can sign in this way.")
  }

  /// - Throws: `login.providerUnavailable`, with the reason. The form for a handle opens all the same:
  ///   there is something to type and to say.
  func requireOffer(of provider: AccountProvider) throws(IntentRejection) {
    if provider == .grain || canUse(provider) { return }
    let reason = offers.first { $0.provider == provider }.flatMap { self.reason(against: $0) }
    throw IntentRejection(
      Problem(.loginProviderUnavailable, fallback: reason?.fallback, field: "/provider"))
  }

  // MARK: Intents

  /// Signs in with a provider that needs no handle.
  ///
  /// - Parameters:
  ///   - server: the service's address, as typed; the configured one if left out.
  ///   - device: makes the sign-in one of a device; without it, of an app.
  ///   - consent: how the person agrees.
  /// - Returns: the operation that signs in.
  /// - Throws: what is missing, at its field.
  package func submit(
    server: String?, device: PlatriumDevice?, consent: Consent
  ) throws(IntentRejection) -> Accepted {
    if consent == .deviceCode {
      try require(.loginSubmit)
      throw IntentRejection(
        Problem(
          .loginProviderUnavailable,
          fallback: "Signing in with a code on another device is not offered yet. Use the sign-in "
            + "page, or paste a token.", field: "/grant"))
    }
    let target: SignInTarget =
      chosen == .pixiv ? .pixiv : .platrium(server: server, device: device)
    if let joined = try join(target, .loginSubmit) { return joined }
    try require(.loginSubmit)
    if chosen == .pixiv {
      if server != nil { throw .invalid("/server") }
      if device != nil { throw .invalid("/device") }
    } else {
      try requireServer(server)
    }
    return Accepted(operation: begin(target, .loginSubmit, firstPhase: .contacting))
  }

  /// Signs in with a token that was made by hand (P25). The token goes to the service it is for, and is
  /// neither shown nor named.
  ///
  /// - Throws: what is no token, at `/token`; it is sent nowhere.
  package func submitToken(
    server: String?, token: Secret
  ) throws(IntentRejection) -> Accepted {
    try require(.loginSubmitToken)
    try requireServer(server)
    if let error = SignInInput.check(token: token) { throw IntentRejection(Problem(error)) }
    return Accepted(
      operation: begin(
        .platriumToken(server: server, token: token), .loginSubmitToken, firstPhase: .contacting))
  }

  private func requireServer(_ server: String?) throws(IntentRejection) {
    let needs = offers.first { $0.provider == .platrium }?.needs
    let isMissing = server?.allSatisfy(\.isWhitespace) ?? (needs == .server)
    // A token in the wrong field is not to be repeated in the words about it.
    let isToken = server?.contains("plt_") ?? false
    if isMissing || isToken { throw IntentRejection(Problem(.serverInvalid(typed: ""))) }
  }
}

extension LoginSnapshot.Provider.Needs {
  /// What the services ask for, as shells know it.
  fileprivate init(_ need: ProviderOffer.Need) {
    self =
      switch need {
      case .handle: .handle
      case .server: .server
      case .none: .none
      }
  }
}
