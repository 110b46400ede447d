package import GrainSnapshots

/// The work that intents started and that outlives their verdicts (bridge-protocol §5.1).
///
/// Each operation ends exactly once; whoever listens hears the end after the state that explains it.
@MainActor
package final class OperationCenter {
  /// How an operation came out.
  package enum Outcome: Equatable, Sendable {
    case succeeded
    case failed(Problem)
    case cancelled
  }

  /// The end of one operation.
  package struct Ending: Equatable, Sendable {
    /// The operation's id.
    package let operation: String
    /// The intent that started it.
    package let intent: IntentName
    /// How it came out.
    package let outcome: Outcome
    /// Whether the core continued it on its own, and no request did.
    package let isResumed: Bool
  }

  /// The progress of one operation, in bytes or photographs.
  package struct Progress: Equatable, Sendable {
    /// The operation's id.
    package let operation: String
    /// How far it is, in ``unit``.
    package let done: Int64
    /// How far there is to go.
    package let total: Int64
    /// `bytes` or `photos`.
    package let unit: String
  }

  /// Hears every end.
  package var onEnd: (Ending) -> Void = { _ in }
  /// Hears of every beginning, before anything of it is seen.
  package var onStart: (_ operation: String, _ intent: IntentName) -> Void = { _, _ in }
  /// Hears progress; only the newest value of an operation matters.
  package var onProgress: (Progress) -> Void = { _ in }

  private struct Running {
    let intent: IntentName
    let isResumed: Bool
    let task: Task<Outcome, Never>
    let cancel: () -> Void
  }

  private var running: [String: Running] = [:]
  /// Operations are numbered: what is not running and has a number has ended.
  private var count = 0
  /// Whether everything is being stopped, and nobody has changed their mind about anything.
  package private(set) var isStopping = false

  /// A centre without work.
  package init() {}

  /// Starts an operation, which runs on the main actor and says how it came out.
  ///
  /// - Parameters:
  ///   - intent: whose operation it is.
  ///   - isResumed: whether the core continues it on its own.
  ///   - cancel: how to stop it at a safe point; by default its task is cancelled.
  ///   - work: the operation itself, told its id.
  ///   - then: what follows its end, once that was told.
  /// - Returns: the operation's id.
  package func start(
    _ intent: IntentName, isResumed: Bool = false, cancel: (@MainActor () -> Void)? = nil,
    work: @escaping @MainActor (_ operation: String) async -> Outcome,
    then: @escaping @MainActor (Outcome) -> Void = { _ in }
  ) -> String {
    count += 1
    let id = Self.id(count)
    let task = Task { @MainActor in
      let outcome = await work(id)
      self.end(id, outcome)
      then(outcome)
      return outcome
    }
    running[id] = Running(
      intent: intent, isResumed: isResumed, task: task, cancel: cancel ?? { task.cancel() })
    onStart(id, intent)
    return id
  }

  /// Waits for the end of a running operation; `nil` when there is none of that id.
  package func outcome(of id: String) async -> Outcome? { await running[id]?.task.value }

  /// Whether the core continues a running operation on its own.
  package func isResumed(_ id: String) -> Bool { running[id]?.isResumed ?? false }

  /// Asks an operation to stop; its end still comes by itself.
  ///
  /// - Returns: `false` when it has ended already, `nil` when there never was such an operation.
  package func cancel(_ id: String) -> Bool? {
    if let operation = running[id] {
      operation.cancel()
      return true
    }
    guard let number = Int(id.dropFirst(Self.prefix.count)), Self.id(number) == id else {
      return nil
    }
    return number > 0 && number <= count ? false : nil
  }

  /// Reports progress of a running operation.
  package func progress(_ id: String, done: Int64, total: Int64, unit: String) {
    guard running[id] != nil else { return }
    onProgress(Progress(operation: id, done: done, total: total, unit: unit))
  }

  /// Stops everything and waits for the ends: what a shutdown does.
  package func stopAll() async {
    isStopping = true
    let all = running.values
    for operation in all { operation.cancel() }
    for operation in all { _ = await operation.task.value }
  }

  private static let prefix = "op-"

  private static func id(_ number: Int) -> String { "\(prefix)\(number)" }

  private func end(_ id: String, _ outcome: Outcome) {
    guard let operation = running.removeValue(forKey: id) else { return }
    onEnd(
      Ending(
        operation: id, intent: operation.intent, outcome: outcome, isResumed: operation.isResumed))
  }
}
