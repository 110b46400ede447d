import GrainModels
import GrainSnapshots
import GrainTestSupport
import Testing

/// One place of a walk through the states of the models: a world and what belongs to the walk.
@MainActor
protocol Stage: AnyObject {
  /// What tells one state from another, for somebody who only sees what may be done.
  var fingerprint: String { get }
}

/// Something that can happen in a state.
struct Step<Place: Stage> {
  let name: String
  /// Does it, and waits until all is quiet again; `false` where it cannot happen.
  let act: @MainActor (Place) async throws -> Bool
}

/// An intent about something, with everything it needs.
struct Trial<Place: Stage> {
  let name: String
  /// Whether the state lists it; `nil` where there is nothing the intent could be about.
  let isListed: @MainActor (Place) -> Bool?
  /// Sends it and waits until all is quiet again.
  let send: @MainActor (Place) async throws -> Accepted
  /// Whether the walk goes on from there; a state may be left to a walk that begins elsewhere.
  var isFollowed: @MainActor (Place) -> Bool = { _ in true }
}

/// Walks through every state that can be reached, breadth first, and tries every intent in each.
@MainActor
struct Walk<Place: Stage> {
  let begin: () async throws -> Place
  let events: [Step<Place>]
  let trials: [Trial<Place>]
  /// More states than there are: a walk that goes on and on is a mistake of its fingerprint.
  var most = 400

  /// States further away than this many steps are found and tried, but not left again.
  var deepest = 3

  /// The steps that lead to a state, each by its name.
  private typealias Path = [Step<Place>]

  /// - Returns: the fingerprints of all states there are.
  func run() async throws -> [String] {
    var seen: [String] = []
    var waiting: [Path] = [[]]
    while let path = waiting.first {
      waiting.removeFirst()
      let print = try await place(after: path).fingerprint
      if seen.contains(print) { continue }
      seen.append(print)
      try #require(seen.count <= most, "the walk does not come to an end")
      for trial in trials {
        let next = try await attempt(trial, after: path)
        if let next, path.count < deepest { waiting.append(path + [next]) }
      }
      if path.count >= deepest { continue }
      for event in events where try await event.act(place(after: path)) {
        waiting.append(path + [event])
      }
    }
    return seen
  }

  private func place(after path: Path) async throws -> Place {
    let place = try await begin()
    for step in path { _ = try await step.act(place) }
    return place
  }

  /// Tries an intent, and holds the verdict to what was listed.
  ///
  /// - Returns: the intent as a step, when it was accepted.
  private func attempt(_ trial: Trial<Place>, after path: Path) async throws -> Step<Place>? {
    let place = try await place(after: path)
    guard let isListed = trial.isListed(place) else { return nil }
    let isFollowed = trial.isFollowed(place)
    let situation = "\(trial.name) after \(path.map(\.name)): \(place.fingerprint)"
    do {
      let accepted = try await trial.send(place)
      // An equal intent joins what is running: it starts nothing, and no list offers it.
      #expect(isListed || accepted.joined, "accepted and not listed: \(situation)")
      return accepted.joined || !isFollowed
        ? nil
        : Step(name: trial.name) { place in
          _ = try await trial.send(place)
          return true
        }
    } catch let error as IntentRejection {
      let kind = error.problem.kind
      if isListed {
        #expect(
          kind != .intentNotAvailable && kind != .intentBusy, "listed and refused: \(situation)")
      } else {
        #expect(kind == .intentNotAvailable, "refused as \(kind.rawValue): \(situation)")
      }
      return nil
    }
  }
}

/// Gives everything that is ready on the main actor its turns.
@MainActor
func settle() async {
  for _ in 0..<40 { await Task.yield() }
}

/// Waits, turn by turn, until something is so.
@MainActor
func until(_ isSo: @MainActor () -> Bool) async {
  while !isSo(), !Task.isCancelled { await Task.yield() }
}
