// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// The accounts side by side, and who is active (bridge-protocol §4.1, model `accounts`).
package struct AccountListSnapshot: ModelSnapshot {
  /// The name shells subscribe to.
  package static var model: String { "accounts" }
  /// The id of the state's schema below the schema root.
  package static var schema: String { "v1/models/accounts.json" }

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
  /// The state of the session machine; closed.
  package var session: Session
  /// Why the session is what it is, where the person should know.
  package var sessionReason: Message?
  /// The accounts, by id.
  package var account: OrderedMap<Account>
  /// The id of the active account.
  package var active: String?
  /// How many accounts there are, where only the first of them and the active one fit into a
  /// message of this shell. Absent where all are here.
  package var accountCount: Int?

  /// The members in schema order; leave out what is absent.
  package init(
    status: ModelStatus, phase: Phase, can: [IntentName], operation: String? = nil,
    problem: Problem? = nil, session: Session, sessionReason: Message? = nil,
    account: OrderedMap<Account> = [:], active: String? = nil, accountCount: Int? = nil
  ) {
    self.status = status
    self.phase = phase
    self.can = can
    self.operation = operation
    self.problem = problem
    self.session = session
    self.sessionReason = sessionReason
    self.account = account
    self.active = active
    self.accountCount = accountCount
  }
}

extension AccountListSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case status, phase, can, operation, problem, session, sessionReason, accountOrder, account
    case active, accountCount
  }

  /// Reads the members; throws where a collection and its order name different keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(ModelStatus.self, forKey: .status)
    phase = try container.decode(Phase.self, forKey: .phase)
    can = try container.decode([IntentName].self, forKey: .can)
    operation = try container.decodeIfPresent(String.self, forKey: .operation)
    problem = try container.decodeIfPresent(Problem.self, forKey: .problem)
    session = try container.decode(Session.self, forKey: .session)
    sessionReason = try container.decodeIfPresent(Message.self, forKey: .sessionReason)
    account = try container.decode(OrderedMap.self, order: .accountOrder, values: .account)
    active = try container.decodeIfPresent(String.self, forKey: .active)
    accountCount = try container.decodeIfPresent(Int.self, forKey: .accountCount)
  }

  /// Writes the members in schema order and leaves out what is absent.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(phase, forKey: .phase)
    try container.encode(can, forKey: .can)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(problem, forKey: .problem)
    try container.encode(session, forKey: .session)
    try container.encodeIfPresent(sessionReason, forKey: .sessionReason)
    try container.encode(account, order: .accountOrder, values: .account)
    try container.encodeIfPresent(active, forKey: .active)
    try container.encodeIfPresent(accountCount, forKey: .accountCount)
  }
}

extension AccountListSnapshot {
  /// The precise state: restoring (the store is being read, or cannot be opened yet), empty (nobody
  /// has signed in), ready (the list is complete), switching (another account is becoming the
  /// active one).
  package enum Phase: String, Codable, CaseIterable, Sendable {
    case restoring, empty, ready, switching
  }
}

extension AccountListSnapshot {
  /// The state of the session machine; closed.
  package enum Session: String, Codable, CaseIterable, Sendable {
    case restoring, signedOut, authenticating, signedIn, refreshing, revoked
  }
}

extension AccountListSnapshot {
  /// One account.
  package struct Account: Codable, Hashable, Sendable {
    /// Who the account is with.
    package var provider: String
    /// Without the at sign; absent while unverified, and then the id is shown.
    package var handle: String?
    /// As the account's owner wrote it.
    package var displayName: String?
    /// Where the picture is, and how large it is shown.
    package var avatar: Media?
    /// Whether the account can be used.
    package var standing: Standing
    /// The features whose scope was not granted: publish, exif, edit, crossPost, comment, favorite,
    /// follow, block, story, profile, appview.
    package var unavailable: [String]
    /// The intents this account accepts now.
    package var can: [IntentName]

    /// The members in schema order; leave out what is absent.
    package init(
      provider: String, handle: String? = nil, displayName: String? = nil, avatar: Media? = nil,
      standing: Standing, unavailable: [String] = [], can: [IntentName] = []
    ) {
      self.provider = provider
      self.handle = handle
      self.displayName = displayName
      self.avatar = avatar
      self.standing = standing
      self.unavailable = unavailable
      self.can = can
    }
  }
}

extension AccountListSnapshot {
  /// Whether the account can be used: ok (signed in), expired (the session ended; signing in again
  /// brings it back), scopeMissing (signed in, but some features were not granted), inactive (the
  /// server has deactivated or taken down the account).
  package enum Standing: String, Codable, CaseIterable, Sendable {
    case ok, expired, scopeMissing, inactive
  }
}
