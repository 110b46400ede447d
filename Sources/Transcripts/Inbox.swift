import StrictJSON
import SystemClients

/// What has come from a core, and whoever waits for more.
actor Inbox {
  /// What a look at the inbox says.
  enum Look<Value: Sendable>: Sendable {
    case found(Value)
    case failed(String)
    case waiting
  }

  /// Messages nobody has taken yet, oldest first.
  private(set) var pending: [JSONValue] = []
  /// The states they bring.
  private(set) var mirror = StateMirror()
  /// Answers to the runner's own requests, by id.
  private var ownAnswers: [String: JSONValue] = [:]
  /// The core has closed its end.
  private(set) var isOver = false
  /// Looks again; `true` when there is nothing left to wait for.
  private var waiter: (@Sendable (isolated Inbox) -> Bool)?
  private var giveUp: (@Sendable () -> Void)?
  private var generation = 0

  /// What the runner's own requests are called.
  static let ownPrefix = "runner-\(SystemRandom.live.integer(below: 1 << 40))-"

  /// A message has come.
  func take(_ message: JSONValue) {
    if message["method"] == nil, let id = message["id"]?.stringValue,
      id.hasPrefix(Self.ownPrefix)
    {
      ownAnswers[id] = message
    } else {
      mirror.take(message)
      pending.append(message)
    }
    wake()
  }

  /// Nothing more will come.
  func finish() {
    isOver = true
    wake()
  }

  /// Forgets everything, for the next core.
  func reset() {
    pending = []
    mirror.reset()
    ownAnswers = [:]
    isOver = false
  }

  /// Takes a message out.
  func remove(at index: Int) -> JSONValue { pending.remove(at: index) }

  /// Takes the first messages out.
  func removeFirst(_ count: Int) { pending.removeFirst(count) }

  /// The answer to one of the runner's own requests.
  func ownAnswer(_ id: String) -> JSONValue? { ownAnswers[id] }

  /// Looks now and after everything that comes, until it is found, has failed or takes too long.
  ///
  /// - Returns: what the last look said; `waiting` when the time was up or the core gone.
  func wait<Value: Sendable>(
    _ limit: Duration, _ look: @escaping @Sendable (isolated Inbox) -> Look<Value>
  ) async -> Look<Value> {
    let now = look(self)
    if case .waiting = now, !isOver {
      generation += 1
      let mine = generation
      let timer = Task { [weak self] in
        // Cancelled when what was waited for came first.
        try? await SystemClock.live.sleep(limit)
        await self?.expire(mine)
      }
      defer { timer.cancel() }
      return await withCheckedContinuation { continuation in
        waiter = { inbox in
          let now = look(inbox)
          if case .waiting = now, !inbox.isOver { return false }
          continuation.resume(returning: now)
          return true
        }
        giveUp = { continuation.resume(returning: .waiting) }
      }
    }
    return now
  }

  private func wake() {
    guard let waiter, waiter(self) else { return }
    self.waiter = nil
    giveUp = nil
  }

  private func expire(_ mine: Int) {
    guard mine == generation, let giveUp else { return }
    waiter = nil
    self.giveUp = nil
    giveUp()
  }
}
