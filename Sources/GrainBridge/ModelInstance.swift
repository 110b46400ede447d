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
  private let changes: ChangeBell
  private var telling: Task<Void, Never>?

  /// - Parameters:
  ///   - argument: what tells instances of one model apart.
  ///   - snapshot: reads the model.
  init<Snapshot: ModelSnapshot>(
    argument: String? = nil, snapshot: @escaping @MainActor () -> Snapshot
  ) {
    model = Snapshot.model
    self.argument = argument
    key = argument.map { "\(Snapshot.model)/\($0)" } ?? Snapshot.model
    schema = Snapshot.schema
    let changes = ChangeBell()
    let entries = EncodedEntries()
    var last = changes.watching(snapshot)
    state = Self.encoded(last, entries)
    read = {
      let now = changes.watching(snapshot)
      guard now != last else { return nil }
      last = now
      return Self.encoded(now, entries)
    }
    self.changes = changes
  }

  /// Calls `changed` after every turn of the main actor that changed the model.
  func watch(_ changed: @escaping @MainActor () -> Void) {
    changes.rings = { [weak self] in
      // The bell rings before the change; by the next turn it is made, and all that goes with it.
      self?.telling = Task { changed() }
    }
  }

  /// Stops watching.
  func unwatch() {
    changes.rings = {}
    telling?.cancel()
    telling = nil
  }

  /// Takes over the model's state if it differs from the committed one; where nothing has touched the
  /// model this costs nothing.
  ///
  /// - Returns: whether there is a new revision.
  func commit() -> Bool {
    guard changes.hasRung, let changed = read() else { return false }
    state = changed
    revision += 1
    return true
  }

  /// The operation the committed state shows.
  var operation: String? { state["operation"]?.stringValue }

  private static func encoded(
    _ snapshot: some ModelSnapshot, _ entries: EncodedEntries
  ) -> JSONValue {
    do {
      return try JSONValueEncoder().encode(snapshot, userInfo: [.entryWriter: entries])
    } catch {
      // A snapshot is made of texts, numbers and lists; one that does not encode is our bug.
      preconditionFailure("\(type(of: snapshot)) does not encode")
    }
  }
}

/// Rings once when anything that was read is about to change.
@MainActor
private final class ChangeBell {
  private(set) var hasRung = false
  /// Called when it rings.
  var rings: () -> Void = {}

  /// Reads, and watches what was read from now on.
  func watching<Value>(_ read: () -> Value) -> Value {
    hasRung = false
    return withObservationTracking(read) { [weak self] in
      // Models change on the main actor and nowhere else, and this runs within the change.
      MainActor.assumeIsolated { self?.ring() }
    }
  }

  private func ring() {
    hasRung = true
    rings()
  }
}
