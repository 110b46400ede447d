import JSONRPC
import StrictJSON
import SystemClients

/// Committed states, between the main actor that commits and the writer thread that delivers.
///
/// Holds the newest state of every instance and, per subscription, what was delivered last; documents
/// are built when the pipe can take them, so a slow reader costs no memory (bridge-protocol §8).
final class StateShelf: Sendable {
  /// A committed state.
  struct Committed: Sendable {
    let model: String
    let schema: String
    let revision: Int
    let state: JSONValue
  }

  /// How a subscription wants its snapshots.
  enum Delivery: String, Sendable { case full, merge }

  /// What the writer thread takes hold of in one instant.
  struct Pending: Sendable {
    let key: String
    let instance: Committed
    let delivery: Delivery
    let delivered: (revision: Int, state: JSONValue)?
    let causes: [RequestID]
    fileprivate let serial: Int
  }

  /// A subscription whose state does not fit what the shell reads.
  struct Oversized: Sendable {
    let key: String
    fileprivate let serial: Int
  }

  private struct Subscription: Sendable {
    /// Tells a subscription from a later one of the same name.
    let serial: Int
    let instance: String
    let delivery: Delivery
    var delivered: (revision: Int, state: JSONValue)?
    var causes: [RequestID] = []
  }

  private struct Contents: Sendable {
    var instances: [String: Committed] = [:]
    var subscriptions: [String: Subscription] = [:]
    var nextSerial = 0
    var frame = 0
    var limit = BridgeLimits.messageBytes

    /// What a subscription has to deliver, which from now on counts as delivered.
    mutating func take(_ key: String) -> Pending? {
      guard let subscription = subscriptions[key],
        let instance = instances[subscription.instance],
        subscription.delivered?.revision != instance.revision
      else { return nil }
      subscriptions[key]?.causes = []
      subscriptions[key]?.delivered = (instance.revision, instance.state)
      return Pending(
        key: key, instance: instance, delivery: subscription.delivery,
        delivered: subscription.delivered, causes: subscription.causes,
        serial: subscription.serial)
    }
  }

  private static let newestCauses = 64
  private let contents = Locked(Contents())
  private let digest: (@Sendable ([UInt8]) -> String)?
  private let tooLarge: @Sendable (Oversized) -> Void

  /// - Parameters:
  ///   - digest: of every applied state, in the test profile.
  ///   - tooLarge: told of a subscription that cannot go on; called on the writer thread, to be
  ///     closed with `drop`.
  init(
    digest: (@Sendable ([UInt8]) -> String)?, tooLarge: @escaping @Sendable (Oversized) -> Void
  ) {
    self.digest = digest
    self.tooLarge = tooLarge
  }

  /// The largest message the shell reads.
  var messageLimit: Int {
    get { contents.withLock(\.limit) }
    set { contents.withLock { $0.limit = newValue } }
  }

  // MARK: Committing

  /// Puts new states on the shelf, with the requests they come from.
  ///
  /// - Returns: the subscriptions that have something to deliver now.
  func commit(_ states: [String: Committed], causes: [String: [RequestID]]) -> [String] {
    contents.withLock { contents in
      contents.instances.merge(states) { _, new in new }
      var dirty: [String] = []
      for (key, subscription) in contents.subscriptions
      where states[subscription.instance] != nil {
        var changed = subscription
        for cause in causes[subscription.instance] ?? [] where !changed.causes.contains(cause) {
          changed.causes.append(cause)
        }
        changed.causes.removeFirst(max(0, changed.causes.count - Self.newestCauses))
        contents.subscriptions[key] = changed
        dirty.append(key)
      }
      return dirty
    }
  }

  /// Takes an instance off the shelf.
  ///
  /// - Returns: the subscriptions that end with it.
  func remove(_ instance: String) -> [String] {
    contents.withLock { contents in
      contents.instances[instance] = nil
      let ended = contents.subscriptions.filter { $0.value.instance == instance }.map(\.key)
      for key in ended { contents.subscriptions[key] = nil }
      return ended.sorted()
    }
  }

  // MARK: Subscriptions

  /// Opens a subscription; `false` when the id is in use.
  func subscribe(_ key: String, to instance: String, _ delivery: Delivery) -> Bool {
    contents.withLock { contents in
      guard contents.subscriptions[key] == nil else { return false }
      contents.nextSerial += 1
      contents.subscriptions[key] = Subscription(
        serial: contents.nextSerial, instance: instance, delivery: delivery)
      return true
    }
  }

  /// Closes a subscription; `false` when there is none.
  func unsubscribe(_ key: String) -> Bool {
    contents.withLock { $0.subscriptions.removeValue(forKey: key) != nil }
  }

  /// Closes a subscription that cannot go on; `false` when it is over already.
  func drop(_ oversized: Oversized) -> Bool {
    contents.withLock { contents in
      guard contents.subscriptions[oversized.key]?.serial == oversized.serial else { return false }
      contents.subscriptions[oversized.key] = nil
      return true
    }
  }

  /// Makes the next snapshot of a subscription a full one; `false` when there is none.
  func forgetDelivered(_ key: String) -> Bool {
    contents.withLock { contents in
      guard contents.subscriptions[key] != nil else { return false }
      contents.subscriptions[key]?.delivered = nil
      return true
    }
  }

  /// How many subscriptions are open.
  var subscriptionCount: Int { contents.withLock { $0.subscriptions.count } }

  // MARK: Delivering

  /// Takes hold of one frame on the writer thread; the returned closure builds its messages.
  ///
  /// What is taken hold of counts as delivered: the connection writes all of a frame, or it is over.
  func capture(_ keys: [String]) -> StateSource.Frame {
    var (waiting, frame, limit) = contents.withLock { contents in
      let pending = keys.compactMap { contents.take($0) }
      if !pending.isEmpty { contents.frame += 1 }
      return (pending[...], contents.frame, contents.limit)
    }
    // One document ahead: whether more follow is known only when the next one fits.
    func nextThatFits() -> SnapshotDocument? {
      while let next = waiting.popFirst() {
        let document = SnapshotDocument(next, frame: frame, digest: digest)
        if document.message(more: !waiting.isEmpty).bytes.count <= limit { return document }
        tooLarge(Oversized(key: next.key, serial: next.serial))
      }
      return nil
    }
    var upcoming: SnapshotDocument?
    var hasBegun = false
    return {
      if !hasBegun { upcoming = nextThatFits() }
      hasBegun = true
      guard let current = upcoming else { return nil }
      upcoming = nextThatFits()
      return current.message(more: upcoming != nil)
    }
  }
}
