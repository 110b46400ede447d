// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// The devices and apps that hold a token of one account (bridge-protocol §4.1, model `devices`).
package struct DeviceListSnapshot: ModelSnapshot {
  /// The name shells subscribe to.
  package static var model: String { "devices" }
  /// The id of the state's schema below the schema root.
  package static var schema: String { "v1/models/devices.json" }

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
  /// The devices and apps, by id.
  package var client: OrderedMap<Client>
  /// Whether more can use the account than is listed: the server does not list browser sessions.
  package var incomplete: Bool
  /// How many devices and apps there are, where only the first of them and this one fit into a
  /// message of this shell. Absent where all are here.
  package var clientCount: Int?

  /// The members in schema order; leave out what is absent.
  package init(
    status: ModelStatus, phase: Phase, can: [IntentName], operation: String? = nil,
    problem: Problem? = nil, client: OrderedMap<Client> = [:], incomplete: Bool,
    clientCount: Int? = nil
  ) {
    self.status = status
    self.phase = phase
    self.can = can
    self.operation = operation
    self.problem = problem
    self.client = client
    self.incomplete = incomplete
    self.clientCount = clientCount
  }
}

extension DeviceListSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case status, phase, can, operation, problem, clientOrder, client, incomplete, clientCount
  }

  /// Reads the members; throws where a collection and its order name different keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(ModelStatus.self, forKey: .status)
    phase = try container.decode(Phase.self, forKey: .phase)
    can = try container.decode([IntentName].self, forKey: .can)
    operation = try container.decodeIfPresent(String.self, forKey: .operation)
    problem = try container.decodeIfPresent(Problem.self, forKey: .problem)
    client = try container.decode(OrderedMap.self, order: .clientOrder, values: .client)
    incomplete = try container.decode(Bool.self, forKey: .incomplete)
    clientCount = try container.decodeIfPresent(Int.self, forKey: .clientCount)
  }

  /// Writes the members in schema order and leaves out what is absent.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(phase, forKey: .phase)
    try container.encode(can, forKey: .can)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(problem, forKey: .problem)
    try container.encode(client, order: .clientOrder, values: .client)
    try container.encode(incomplete, forKey: .incomplete)
    try container.encodeIfPresent(clientCount, forKey: .clientCount)
  }
}

extension DeviceListSnapshot {
  /// The precise state.
  package enum Phase: String, Codable, CaseIterable, Sendable {
    case loading, ready, failed
  }
}

extension DeviceListSnapshot {
  /// One device or app.
  package struct Client: Codable, Hashable, Sendable {
    /// A device can get push messages, an app cannot.
    package var kind: Kind
    /// As it was named when it signed in.
    package var name: String
    /// The system it runs on, as the server says it.
    package var platform: String?
    /// When it signed in; absent where the service does not say.
    package var createdAt: String?
    /// When it was seen last; absent while it never was.
    package var lastUsedAt: String?
    /// Whether this is the one in use here; revoking it signs out.
    package var current: Bool
    /// The intents this one accepts now.
    package var can: [IntentName]

    /// The members in schema order; leave out what is absent.
    package init(
      kind: Kind, name: String, platform: String? = nil, createdAt: String? = nil,
      lastUsedAt: String? = nil, current: Bool, can: [IntentName]
    ) {
      self.kind = kind
      self.name = name
      self.platform = platform
      self.createdAt = createdAt
      self.lastUsedAt = lastUsedAt
      self.current = current
      self.can = can
    }
  }
}

extension DeviceListSnapshot.Client {
  /// A device can get push messages, an app cannot.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    case device, app
  }
}
