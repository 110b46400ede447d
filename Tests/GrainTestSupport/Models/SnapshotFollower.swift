package import GrainModels
package import GrainSnapshots
import Observation
package import Testing

/// Follows one model and holds the test to every snapshot it shows.
///
/// Two changes in one turn of the main actor are one snapshot, as they are for a shell. A snapshot
/// that no ``expectSnapshots(after:_:sourceLocation:)`` has asked for fails the test, at the latest
/// when the follower goes.
@MainActor
package final class SnapshotFollower<Snapshot: ModelSnapshot> {
  private let read: @MainActor () -> Snapshot
  private let begun: SourceLocation
  /// The snapshot the test knows of.
  private var expected: Snapshot
  private var newest: Snapshot
  private var unseen: [Snapshot] = []
  private var waiting: CheckedContinuation<Void, Never>?

  /// Follows a model; its present snapshot counts as known.
  package init(
    sourceLocation: SourceLocation = #_sourceLocation, _ read: @escaping @MainActor () -> Snapshot
  ) {
    self.read = read
    begun = sourceLocation
    expected = read()
    newest = expected
    look()
  }

  deinit {
    if !unseen.isEmpty {
      Issue.record(
        "\(Snapshot.model) showed snapshots that the test did not expect: \(unseen)",
        sourceLocation: begun)
    }
  }

  /// What the model showed last.
  package var snapshot: Snapshot { newest }

  /// Acts, then expects exactly these snapshots, in this order.
  ///
  /// - Parameters:
  ///   - act: sends an intent, or lets a scripted service go on.
  ///   - changes: what each snapshot changes in the one before; the rest must be the same. None at
  ///     all says that nothing is to be seen.
  ///   - sourceLocation: where a failure is reported.
  /// - Returns: what `act` returned; `nil` when it threw, which fails the test.
  @discardableResult
  package func expectSnapshots<Value>(
    after act: @MainActor () async throws -> Value, _ changes: (inout Snapshot) -> Void...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> Value? {
    let value: Value
    do {
      value = try await act()
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
      await expectNothing(sourceLocation)
      return nil
    }
    for (index, change) in changes.enumerated() {
      change(&expected)
      guard let found = await next() else {
        report("snapshot \(index + 1) of \(changes.count) never came", newest, sourceLocation)
        break
      }
      if found == expected { continue }
      report("snapshot \(index + 1) of \(changes.count) differs", found, sourceLocation)
      break
    }
    await expectNothing(sourceLocation)
    return value
  }

  /// Sends an intent that must be refused, and expects nothing to be seen.
  ///
  /// - Parameters:
  ///   - kind: why it is refused.
  ///   - field: the member at fault, where the refusal names one.
  ///   - intent: what is sent.
  ///   - sourceLocation: where a failure is reported.
  package func expectRejection(
    _ kind: ErrorKind, field: String? = nil,
    of intent: @MainActor () async throws -> Accepted,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    do {
      _ = try await intent()
      Issue.record("the intent was accepted", sourceLocation: sourceLocation)
    } catch let error as IntentRejection {
      #expect(error.problem.kind == kind, sourceLocation: sourceLocation)
      #expect(error.problem.field == field, sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
    await expectNothing(sourceLocation)
  }

  private func expectNothing(_ sourceLocation: SourceLocation) async {
    // Whatever is under way on the main actor gets its turns.
    for _ in 0..<20 { await Task.yield() }
    let rest = unseen
    unseen = []
    for found in rest {
      report("a snapshot came that nobody expected", found, sourceLocation)
      expected = found
    }
    // After a failure the test goes on from what is there.
    expected = newest
  }

  private func report(_ what: String, _ found: Snapshot, _ sourceLocation: SourceLocation) {
    let difference: String
    do {
      difference = try SnapshotDifference(expected: expected, found: found).description
    } catch {
      difference = "expected \(expected), found \(found)"
    }
    Issue.record("\(Snapshot.model): \(what)\n\(difference)", sourceLocation: sourceLocation)
  }

  private func look() {
    let now = withObservationTracking(read) { [weak self] in
      // This runs before the change; by the next turn all that belongs to it is made.
      Task { @MainActor in self?.look() }
    }
    guard now != newest else { return }
    newest = now
    unseen.append(now)
    waiting?.resume()
    waiting = nil
  }

  /// The next snapshot; `nil` when none comes for so long that none will.
  private func next() async -> Snapshot? {
    if unseen.isEmpty {
      let patience = Task {
        // Cancelled as soon as one comes: only a failing test ever waits this long.
        do { try await Task.sleep(for: .seconds(10)) } catch { return }
        waiting?.resume()
        waiting = nil
      }
      await withCheckedContinuation { waiting = $0 }
      patience.cancel()
    }
    return unseen.isEmpty ? nil : unseen.removeFirst()
  }
}
