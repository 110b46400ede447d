import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON
import SystemClients

/// One session with one shell, on the main actor: which models there are, what was committed, who
/// caused what.
@MainActor
final class BridgeSession {
  /// Where the session stands (bridge-protocol §3).
  enum Stage { case new, ready, shuttingDown }

  let connection: RPCConnection
  let shelf: StateShelf
  let options: BridgeOptions
  let core: CoreOpener
  let effects: EffectDesk
  var stage = Stage.new
  var models: CoreModels?
  var sendsProgress = false
  /// Whether the shell has said that it can read merge patches.
  var readsMerges = false
  /// Models the shell wants, but in no form we have.
  var unreadable: Set<String> = []
  /// The model instances shells can subscribe to, by key.
  var instances: [String: ModelInstance] = [:]
  /// Galleries whose instances closed because they are published.
  var published = PublishedStates()
  /// The operations that run, by id.
  var operations: [String: OperationTrace] = [:]
  /// How many operations there were.
  var operationCount = 0
  /// Instances that end once their last state was written, by key.
  var closing: [String: Task<Void, Never>] = [:]
  /// What waits for the verdict on the intent being performed; `nil` when none is.
  var afterVerdict: [() -> Void]?
  /// Ends a session whose shell has said `shutdown` but never says `exit`.
  private var lastCall: Task<Void, Never>?

  /// How long each part of an end may take (bridge-protocol §3.3).
  private static let endTime = Duration.seconds(2)
  /// How long letting go of the core may take: a refresh that was sent has to be heard out, or its
  /// account is lost (G112). As a rule it takes no time.
  private static let closingTime = Duration.seconds(20)
  /// How many messages are taken before others have their turn.
  private static let messagesATurn = 16

  init(connection: RPCConnection, shelf: StateShelf, options: BridgeOptions, core: CoreOpener) {
    self.connection = connection
    self.shelf = shelf
    self.options = options
    self.core = core
    effects = EffectDesk(connection: connection, clock: options.clock)
    effects.stateFirst = { [weak self] in _ = self?.commit() }
    effects.mayAsk = { [weak self] in self.map { $0.afterVerdict == nil } ?? false }
  }

  // MARK: Taking messages

  /// Takes messages until the connection ends, then ends the session.
  func run() async -> EndReason {
    let serving = Task { await serve() }
    let reason = await connection.ended()
    await atMost(Self.endTime) {
      // What was read before the end is still answered.
      await serving.value
      await self.stopWork()
      _ = await self.connection.flush()
    }
    serving.cancel()
    lastCall?.cancel()
    for task in closing.values { task.cancel() }
    for instance in instances.values { instance.unwatch() }
    let failure = connection.outputEnd
    connection.close()
    await atMost(Self.closingTime) { await self.core.close() }
    switch failure {
    // Answers that could not be written count for more than an input that was over before.
    case .writeFailed?, .peerStuck?: return failure ?? reason
    default: return reason
    }
  }

  private func serve() async {
    var taken = 0
    while let message = await connection.next() {
      await take(message)
      taken += 1
      // However fast the shell is, whoever else waits for the main actor has a turn. Not after each
      // message: a yield leads over other threads and back, and costs more than a small request.
      if taken.isMultiple(of: Self.messagesATurn) { await Task.yield() }
    }
  }

  private func take(_ message: IncomingMessage) async {
    switch message {
    case .request(let id, let method, let params):
      await answer(id, method, params)
    case .withdrawn(let id):
      connection.fail(id, RPCErrorObject(Problem(.requestCancelled)))
    case .notification("exit", _):
      connection.stopReading()
    case .notification(let method, _):
      if IntentName(rawValue: method) != nil {
        options.log("error", "intent sent as a notification", ["intent": method])
      } else if !method.hasPrefix("$/") {
        connection.countIgnoredNotification()
      }
    case .response(let id, let result, let error):
      effects.answered(id, RPCAnswer(result: result, error: error))
    }
  }

  // MARK: The end

  /// `shutdown`: operations come to a safe point, the last state is written, then the answer.
  func shutDown() async {
    stage = .shuttingDown
    await atMost(Self.endTime) { await self.stopWork() }
    _ = await connection.flush()
    guard lastCall == nil else { return }
    lastCall = Task { [clock = options.clock, connection] in
      await clock.pause(Self.endTime)
      if !Task.isCancelled { connection.stopReading() }
    }
  }

  /// Operations end, effects are withdrawn, the last state is committed.
  private func stopWork() async {
    stage = .shuttingDown
    // First: a page that is taken back below is not one the person has closed.
    await models?.leave()
    effects.close()
    await models?.operations.stopAll()
    commit()
  }

  /// Waits for `work`, but not longer than that: what does not stop is left behind, since the process
  /// ends soon after.
  private func atMost(_ limit: Duration, _ work: @escaping @MainActor () async -> Void) async {
    let (done, finish) = AsyncStream.makeStream(of: Void.self)
    let working = Task {
      await work()
      finish.yield()
    }
    let waiting = Task { [clock = options.clock] in
      await clock.pause(limit)
      finish.yield()
    }
    for await _ in done { break }
    working.cancel()
    waiting.cancel()
  }
}
