// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// The unfinished galleries and stories of the active account (bridge-protocol §4.1, model
/// `drafts`).
package struct DraftListSnapshot: ModelSnapshot {
  /// The name shells subscribe to.
  package static var model: String { "drafts" }
  /// The id of the state's schema below the schema root.
  package static var schema: String { "v1/models/drafts.json" }

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
  /// The drafts, by id.
  package var draft: OrderedMap<Draft>
  /// How many drafts there are, where only those changed last fit into a message of this shell.
  /// Absent where all are here.
  package var draftCount: Int?

  /// The members in schema order; leave out what is absent.
  package init(
    status: ModelStatus, phase: Phase, can: [IntentName], operation: String? = nil,
    problem: Problem? = nil, draft: OrderedMap<Draft> = [:], draftCount: Int? = nil
  ) {
    self.status = status
    self.phase = phase
    self.can = can
    self.operation = operation
    self.problem = problem
    self.draft = draft
    self.draftCount = draftCount
  }
}

extension DraftListSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case status, phase, can, operation, problem, draftOrder, draft, draftCount
  }

  /// Reads the members; throws where a collection and its order name different keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(ModelStatus.self, forKey: .status)
    phase = try container.decode(Phase.self, forKey: .phase)
    can = try container.decode([IntentName].self, forKey: .can)
    operation = try container.decodeIfPresent(String.self, forKey: .operation)
    problem = try container.decodeIfPresent(Problem.self, forKey: .problem)
    draft = try container.decode(OrderedMap.self, order: .draftOrder, values: .draft)
    draftCount = try container.decodeIfPresent(Int.self, forKey: .draftCount)
  }

  /// Writes the members in schema order and leaves out what is absent.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(phase, forKey: .phase)
    try container.encode(can, forKey: .can)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(problem, forKey: .problem)
    try container.encode(draft, order: .draftOrder, values: .draft)
    try container.encodeIfPresent(draftCount, forKey: .draftCount)
  }
}

extension DraftListSnapshot {
  /// The precise state.
  package enum Phase: String, Codable, CaseIterable, Sendable {
    case ready
  }
}

extension DraftListSnapshot {
  /// One draft.
  package struct Draft: Codable, Hashable, Sendable {
    /// What it becomes.
    package var kind: DraftKind
    /// As typed; empty until the person has typed one.
    package var title: String
    /// How many photos it holds.
    package var photoCount: Int
    /// Time of the last change.
    package var updatedAt: String
    /// When it will be deleted; absent while a publish is unfinished.
    package var expiresAt: String?
    /// Whether a publish was started and can be continued.
    package var resumable: Bool

    /// The members in schema order; leave out what is absent.
    package init(
      kind: DraftKind, title: String, photoCount: Int, updatedAt: String, expiresAt: String? = nil,
      resumable: Bool
    ) {
      self.kind = kind
      self.title = title
      self.photoCount = photoCount
      self.updatedAt = updatedAt
      self.expiresAt = expiresAt
      self.resumable = resumable
    }
  }
}
