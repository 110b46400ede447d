/// What waits to be written, and in which order it goes.
///
/// A pure machine, guarded by the connection's lock. Two lanes (bridge protocol §8): control messages, which
/// are queued and never dropped, and state, of which there are only marks.
///
/// Control goes first, in the order it was queued, except that:
/// - before any state all queued verdicts are written, so a snapshot cannot name a request whose verdict is
///   still waiting (W1, O3, O4);
/// - an event that explains itself by state has all marks flushed before it (O5);
/// - after a run of control messages one due frame is written (W3).
struct OutboundLanes: Sendable {
  /// Called when its message has been written, or with `false` when it never will be.
  typealias Written = @Sendable (Bool) -> Void

  struct Entry: Sendable {
    /// `nil` for a place in the queue that is only waited for.
    let message: EncodedMessage?
    let flushesState: Bool
    let written: Written?
    fileprivate let sequence: Int
  }

  /// What to write next.
  enum Step {
    /// Nothing, until then or until something changes.
    case nothing(until: Duration?)
    /// These messages.
    case control([Entry])
    /// Marks are due: wait for the pipe, then `takeFlush`.
    case flush
  }

  /// One frame and what has to stand around it.
  struct Flush: Sendable {
    var verdicts: [Entry] = []
    var subscriptions: [String] = []
    var progress: [EncodedMessage] = []
    /// The event the flush was made for.
    var event: Entry?
  }

  private struct Subscription: Sendable {
    let order: Int
    let interval: Duration
    var mark: Mark?
    var lastSent: Duration?
  }

  private struct Progress: Sendable {
    let order: Int
    var done: Int?
    var message: EncodedMessage?
    var lastSent: Duration?
  }

  private enum Mark { case paced, now }

  private let runLimit: Int
  private var verdicts = FIFO<Entry>()
  private var events = FIFO<Entry>()
  private var subscriptions: [String: Subscription] = [:]
  private var progress: [String: Progress] = [:]
  private var sequence = 0
  /// Control messages written since the last frame.
  private var run = 0
  private var takenBytes = 0
  private var queuedBytes = 0

  private(set) var coalesced = 0
  /// Since when control messages have been waiting without a break.
  private(set) var controlSince: Duration?

  static let batchBytes = 65_536
  private static let progressInterval = Duration.milliseconds(100)

  init(runLimit: Int) { self.runLimit = runLimit }

  /// Bytes of control messages that the pipe has not taken yet.
  var controlBytes: Int { queuedBytes + takenBytes }
  var subscriptionCount: Int { subscriptions.count }
  private var hasControl: Bool { !verdicts.isEmpty || !events.isEmpty }

  // MARK: Queueing

  mutating func addVerdict(_ message: EncodedMessage, now: Duration) {
    verdicts.append(entry(message, flushesState: false, written: nil, now: now))
  }

  mutating func addEvent(
    _ message: EncodedMessage?, flushesState: Bool, written: Written? = nil, now: Duration
  ) {
    events.append(entry(message, flushesState: flushesState, written: written, now: now))
  }

  private mutating func entry(
    _ message: EncodedMessage?, flushesState: Bool, written: Written?, now: Duration
  ) -> Entry {
    sequence += 1
    queuedBytes += message?.bytes.count ?? 0
    if controlSince == nil { controlSince = now }
    return Entry(
      message: message, flushesState: flushesState, written: written, sequence: sequence)
  }

  // MARK: Marks

  /// Opens a subscription; its first document is due at once.
  mutating func open(_ subscription: RPCSubscription) {
    sequence += 1
    subscriptions[subscription.key] = Subscription(
      order: sequence, interval: .seconds(1) / subscription.maximumRate, mark: .paced)
  }

  mutating func close(_ key: String) { subscriptions[key] = nil }

  mutating func mark(_ key: String, urgently: Bool) {
    guard var subscription = subscriptions[key] else { return }
    if subscription.mark != nil { coalesced += 1 }
    if urgently || subscription.mark == nil { subscription.mark = urgently ? .now : .paced }
    subscriptions[key] = subscription
  }

  mutating func beginProgress(_ token: String) {
    sequence += 1
    progress[token] = Progress(order: sequence)
  }

  mutating func endProgress(_ token: String) { progress[token] = nil }

  mutating func setProgress(_ token: String, done: Int, _ message: EncodedMessage) {
    guard var entry = progress[token], done >= entry.done ?? .min else { return }
    entry.done = done
    entry.message = message
    progress[token] = entry
  }

  // MARK: Taking

  mutating func step(now: Duration) -> Step {
    let next = nextDue()
    let isDue = isDue(next, now)
    guard hasControl, !(isDue && run >= runLimit) else {
      return isDue ? .flush : .nothing(until: next)
    }
    var batch: [Entry] = []
    var bytes = 0
    while bytes < Self.batchBytes, !(isDue && run >= runLimit), let isEvent = eventIsNext {
      if isEvent, events.first?.flushesState == true, hasMarks {
        return batch.isEmpty ? .flush : .control(batch)
      }
      guard let entry = isEvent ? events.popFirst() : verdicts.popFirst() else { break }
      take(entry)
      bytes += entry.message?.bytes.count ?? 0
      batch.append(entry)
    }
    return .control(batch)
  }

  /// Takes everything a frame needs, once the pipe can take bytes.
  mutating func takeFlush(now: Duration) -> Flush {
    var flush = Flush()
    while let verdict = verdicts.popFirst() {
      take(verdict)
      flush.verdicts.append(verdict)
    }
    let forEvent = events.first?.flushesState == true
    for (key, subscription) in subscriptions.sorted(by: { $0.value.order < $1.value.order })
    where forEvent ? subscription.mark != nil : isDue(due(subscription), now) {
      subscriptions[key]?.mark = nil
      subscriptions[key]?.lastSent = now
      flush.subscriptions.append(key)
    }
    for (token, entry) in progress.sorted(by: { $0.value.order < $1.value.order }) {
      guard let message = entry.message, isDue(due(entry), now) else { continue }
      progress[token]?.message = nil
      progress[token]?.lastSent = now
      flush.progress.append(message)
    }
    run = 0
    if forEvent, let event = events.popFirst() {
      take(event)
      flush.event = event
    }
    return flush
  }

  /// The pipe has taken all that was taken from here.
  mutating func written(now: Duration) {
    takenBytes = 0
    controlSince = hasControl ? now : nil
  }

  /// Gives up all that waits.
  mutating func removeAll() -> [Entry] {
    let rest = verdicts.removeAll() + events.removeAll()
    subscriptions = [:]
    progress = [:]
    queuedBytes = 0
    takenBytes = 0
    controlSince = nil
    return rest
  }

  private mutating func take(_ entry: Entry) {
    let bytes = entry.message?.bytes.count ?? 0
    queuedBytes -= bytes
    takenBytes += bytes
    run += 1
  }

  /// Whether the message that was queued first is an event; `nil` when nothing is queued.
  private var eventIsNext: Bool? {
    guard let event = events.first else { return verdicts.isEmpty ? nil : false }
    guard let verdict = verdicts.first else { return true }
    return event.sequence < verdict.sequence
  }

  private var hasMarks: Bool { subscriptions.values.contains { $0.mark != nil } }

  private func nextDue() -> Duration? {
    let states = subscriptions.values.lazy.compactMap(due).min()
    let marks = progress.values.lazy.compactMap(due).min()
    guard let states, let marks else { return states ?? marks }
    return min(states, marks)
  }

  private func isDue(_ due: Duration?, _ now: Duration) -> Bool { due.map { $0 <= now } ?? false }

  private func due(_ subscription: Subscription) -> Duration? {
    switch subscription.mark {
    case nil: nil
    case .now: .zero
    case .paced: subscription.lastSent.map { $0 + subscription.interval } ?? .zero
    }
  }

  private func due(_ progress: Progress) -> Duration? {
    guard progress.message != nil else { return nil }
    return progress.lastSent.map { $0 + Self.progressInterval } ?? .zero
  }
}
