import ATSyntax
import StrictJSON

/// The last states of galleries this session has published. Their instances are closed, but a script that
/// had no subscription learns here where its gallery is (`models/get`, bridge-protocol §5.1).
@MainActor
struct PublishedStates {
  /// What `models/get` answers.
  struct Last {
    let schema: String
    let revision: Int
    let state: JSONValue
    /// Whose gallery it is: nobody else is shown it (A30).
    let owner: DID?
  }

  /// More are not kept; the oldest goes first.
  private static let limit = 16
  private var states: [(key: String, last: Last)] = []

  mutating func keep(_ instance: ModelInstance, of owner: DID?) {
    states.removeAll { $0.key == instance.key }
    states.append(
      (
        instance.key,
        Last(
          schema: instance.schema, revision: instance.revision, state: instance.state, owner: owner)
      ))
    if states.count > Self.limit { states.removeFirst() }
  }

  /// The state of a gallery of whoever is active.
  func last(_ key: String, for active: DID?) -> Last? {
    states.first { $0.key == key && $0.last.owner == active }?.last
  }
}
