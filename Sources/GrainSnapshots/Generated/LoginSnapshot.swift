// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// Everything the sign-in screen shows (bridge-protocol §4.1, model `login`).
package struct LoginSnapshot: ModelSnapshot {
  /// The name shells subscribe to.
  package static var model: String { "login" }
  /// The id of the state's schema below the schema root.
  package static var schema: String { "v1/models/login.json" }

  /// Enough to render any phase the shell does not know.
  package var status: ModelStatus
  /// The precise state.
  package var phase: Phase
  /// The intents accepted now; the shell enables exactly these controls.
  package var can: [IntentName]
  /// The id of a running operation.
  package var operation: String?
  /// The last failure that was not dismissed yet.
  package var problem: Problem?
  /// Why the person is asked to sign in again, if there is more to say than that nobody is.
  package var reason: Message?
  /// The ways to sign in; left out where there is nothing to choose.
  package var provider: OrderedMap<Provider>
  /// With whom the open form, or the running sign-in, signs in; left out at rest and where there is
  /// nothing to choose.
  package var chosen: String?
  /// The text of the handle field, as typed.
  package var handle: String
  /// Accounts whose handle begins like the text.
  package var suggestion: OrderedMap<Suggestion>
  /// The key of the suggestion the keyboard is on.
  package var highlighted: String?
  /// The host whose sign-in page is, or will be, shown.
  package var serverHost: String?
  /// The code to type at verificationUrl (device grant).
  package var userCode: String?
  /// The page to open on another device (device grant).
  package var verificationURL: String?

  /// The members in schema order; leave out what is absent.
  package init(
    status: ModelStatus, phase: Phase, can: [IntentName], operation: String? = nil,
    problem: Problem? = nil, reason: Message? = nil, provider: OrderedMap<Provider> = [:],
    chosen: String? = nil, handle: String = "", suggestion: OrderedMap<Suggestion> = [:],
    highlighted: String? = nil, serverHost: String? = nil, userCode: String? = nil,
    verificationURL: String? = nil
  ) {
    self.status = status
    self.phase = phase
    self.can = can
    self.operation = operation
    self.problem = problem
    self.reason = reason
    self.provider = provider
    self.chosen = chosen
    self.handle = handle
    self.suggestion = suggestion
    self.highlighted = highlighted
    self.serverHost = serverHost
    self.userCode = userCode
    self.verificationURL = verificationURL
  }
}

extension LoginSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case status, phase, can, operation, problem, reason, providerOrder, provider, chosen, handle
    case suggestionOrder, suggestion, highlighted, serverHost, userCode
    case verificationURL = "verificationUrl"
  }

  /// Reads the members; throws where a collection and its order name different keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(ModelStatus.self, forKey: .status)
    phase = try container.decode(Phase.self, forKey: .phase)
    can = try container.decode([IntentName].self, forKey: .can)
    operation = try container.decodeIfPresent(String.self, forKey: .operation)
    problem = try container.decodeIfPresent(Problem.self, forKey: .problem)
    reason = try container.decodeIfPresent(Message.self, forKey: .reason)
    provider =
      container.contains(.provider) || container.contains(.providerOrder)
      ? try container.decode(OrderedMap.self, order: .providerOrder, values: .provider) : [:]
    chosen = try container.decodeIfPresent(String.self, forKey: .chosen)
    handle = try container.decode(String.self, forKey: .handle)
    suggestion = try container.decode(OrderedMap.self, order: .suggestionOrder, values: .suggestion)
    highlighted = try container.decodeIfPresent(String.self, forKey: .highlighted)
    serverHost = try container.decodeIfPresent(String.self, forKey: .serverHost)
    userCode = try container.decodeIfPresent(String.self, forKey: .userCode)
    verificationURL = try container.decodeIfPresent(String.self, forKey: .verificationURL)
  }

  /// Writes the members in schema order and leaves out what is absent.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(phase, forKey: .phase)
    try container.encode(can, forKey: .can)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(problem, forKey: .problem)
    try container.encodeIfPresent(reason, forKey: .reason)
    if !provider.isEmpty {
      try container.encode(provider, order: .providerOrder, values: .provider)
    }
    try container.encodeIfPresent(chosen, forKey: .chosen)
    try container.encode(handle, forKey: .handle)
    try container.encode(suggestion, order: .suggestionOrder, values: .suggestion)
    try container.encodeIfPresent(highlighted, forKey: .highlighted)
    try container.encodeIfPresent(serverHost, forKey: .serverHost)
    try container.encodeIfPresent(userCode, forKey: .userCode)
    try container.encodeIfPresent(verificationURL, forKey: .verificationURL)
  }
}

extension LoginSnapshot {
  /// The precise state: signedOut (the form is closed), enteringHandle (it is open, for whatever
  /// the chosen provider needs), resolving (the handle is being looked up), contacting (the
  /// account's server is asked for a sign-in page), waitingForBrowser (the page is open),
  /// exchanging (the browser came back; tokens are being fetched), signedIn (the account is in the
  /// list), failed (problem says why).
  package enum Phase: String, Codable, CaseIterable, Sendable {
    case signedOut, enteringHandle, resolving, contacting, waitingForBrowser, exchanging, signedIn
    case failed
  }
}

extension LoginSnapshot {
  /// One way to sign in.
  package struct Provider: Codable, Hashable, Sendable {
    /// Whether it can be used on this machine with this shell.
    package var available: Bool
    /// Why it cannot.
    package var reason: Message?
    /// What the person has to enter first.
    package var needs: Needs

    /// The members in schema order; leave out what is absent.
    package init(available: Bool, reason: Message? = nil, needs: Needs) {
      self.available = available
      self.reason = reason
      self.needs = needs
    }
  }
}

extension LoginSnapshot.Provider {
  /// What the person has to enter first.
  package enum Needs: String, Codable, CaseIterable, Sendable {
    case handle, server, none
  }
}

extension LoginSnapshot {
  /// One account the person may mean.
  package struct Suggestion: Codable, Hashable, Sendable {
    /// Without the at sign.
    package var handle: String
    /// As the account's owner wrote it.
    package var displayName: String?
    /// Where the picture is, and how large it is shown.
    package var avatar: Media?

    /// The members in schema order; leave out what is absent.
    package init(handle: String, displayName: String? = nil, avatar: Media? = nil) {
      self.handle = handle
      self.displayName = displayName
      self.avatar = avatar
    }
  }
}
