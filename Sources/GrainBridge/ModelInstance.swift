import GrainSnapshots
import Observation
import StrictJSON

/// One model instance as the bridge sees it: its last committed state and how to read the next.
@MainActor
final class ModelInstance {
  /// The model's name, with its argument when it has one: `login`, `galleryPublish/abc`.
  let key: String
  /// The model's name.
  let model: String
  /// What tells it from other instances of the model.
  let argument: String?
  /// The schema of its states.
  let schema: String
  /// Rises by one with every committed change.
  private(set) var revision = 1
  /// The committed state.
  private(set) var state: JSONValue
  private let read: () -> JSONValue?
  private let observe: (@escaping @MainActor () -> Void) -> Task<Void, Never>
  private var watching: Task<Void, Never>?

  /// - Parameters:
  ///   - argument: what tells instances of one model apart.
  ///   - snapshot: reads the model; called on the main actor.
  init<Snapshot: ModelSnapshot>(
    argument: String? = nil, snapshot: @escaping @MainActor @Sendable () -> Snapshot
  ) {
    model = Snapshot.model
    self.argument = argument
    key = argument.map { "\(Snapshot.model)/\($0)" } ?? Snapshot.model
    schema = Snapshot.schema
    var last = snapshot()
    state = Self.encoded(last)
    read = {
      let now = snapshot()
      guard now != last else { return nil }
      last = now
      return Self.encoded(now)
    }
    observe = { changed in
      Task { @MainActor in
        for await _ in Observations({ snapshot() }) { changed() }
      }
    }
  }

  /// Calls `changed` after every turn that changed the model.
  func watch(_ changed: @escaping @MainActor () -> Void) {
    watching = observe(changed)
  }

  /// Stops watching.
  func unwatch() {
    watching?.cancel()
    watching = nil
  }

  /// Takes over the model's state if it differs from the committed one.
  ///
  /// - Returns: whether there is a new revision.
  func commit() -> Bool {
    guard let changed = read() else { return false }
    state = changed
    revision += 1
    return true
  }

  /// The operation the committed state shows.
  var operation: String? { state["operation"]?.stringValue }

  private static func encoded(_ snapshot: some ModelSnapshot) -> JSONValue {
    do {
      return try JSONValueEncoder().encode(snapshot)
    } catch {
      // A snapshot is made of texts, numbers and lists; one that does not encode is our bug.
      preconditionFailure("\(type(of: snapshot)) does not encode")
    }
  }
}
