import JSONRPC
import StrictJSON
import Synchronization

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

  private struct Subscription {
    let instance: String
    let delivery: Delivery
    var delivered: (revision: Int, state: JSONValue)?
    var causes: [RequestID] = []
  }

  private struct Contents {
    var instances: [String: Committed] = [:]
    var subscriptions: [String: Subscription] = [:]
    var frame = 0
    var limit = 1_048_576
  }

  /// What the writer thread takes hold of in one instant.
  private struct Pending {
    let key: String
    let instance: Committed
    let delivery: Delivery
    let delivered: (revision: Int, state: JSONValue)?
    let causes: [RequestID]
  }

  private static let newestCauses = 64
  private let contents = Mutex(Contents())
  private let digest: (@Sendable ([UInt8]) -> String)?
  private let tooLarge: @Sendable (_ subscription: String) -> Void

  /// - Parameters:
  ///   - digest: of every applied state, in the test profile.
  ///   - tooLarge: told of a subscription whose state does not fit the shell's limit.
  init(
    digest: (@Sendable ([UInt8]) -> String)?,
    tooLarge: @escaping @Sendable (_ subscription: String) -> Void
  ) {
    self.digest = digest
    self.tooLarge = tooLarge
  }

  /// The largest message the shell reads.
  func limitMessages(to bytes: Int) {
    contents.withLock { $0.limit = bytes }
  }

  // MARK: Committing

  /// Puts new states on the shelf as one frame, with the requests they come from.
  ///
  /// - Returns: the subscriptions that have something to deliver now.
  func commit(_ states: [String: Committed], causes: [String: [RequestID]]) -> [String] {
    contents.withLock { contents in
      contents.frame += 1
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

  /// The committed state of an instance.
  func committed(_ instance: String) -> Committed? {
    contents.withLock { $0.instances[instance] }
  }

  /// Takes an instance off the shelf.
  ///
  /// - Returns: the subscriptions that end with it.
  func remove(_ instance: String) -> [String] {
    contents.withLock { contents in
      contents.instances[instance] = nil
      let ended = contents.subscriptions.filter { $0.value.instance == instance }.map(\.key)
      for key in ended { contents.subscriptions[key] = nil }
      return ended
    }
  }

  // MARK: Subscriptions

  /// Opens a subscription; `false` when the id is in use.
  func subscribe(_ key: String, to instance: String, _ delivery: Delivery) -> Bool {
    contents.withLock { contents in
      guard contents.subscriptions[key] == nil else { return false }
      contents.subscriptions[key] = Subscription(instance: instance, delivery: delivery)
      return true
    }
  }

  /// Closes a subscription; `false` when there is none.
  func unsubscribe(_ key: String) -> Bool {
    contents.withLock { $0.subscriptions.removeValue(forKey: key) != nil }
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
  func capture(_ keys: [String]) -> StateSource.Frame {
    var (pending, frame, limit) = contents.withLock { contents in
      let pending = keys.compactMap { key -> Pending? in
        guard let subscription = contents.subscriptions[key],
          let instance = contents.instances[subscription.instance],
          subscription.delivered?.revision != instance.revision
        else { return nil }
        contents.subscriptions[key]?.causes = []
        contents.subscriptions[key]?.delivered = (instance.revision, instance.state)
        return Pending(
          key: key, instance: instance, delivery: subscription.delivery,
          delivered: subscription.delivered, causes: subscription.causes)
      }
      return (pending[...], contents.frame, contents.limit)
    }
    return {
      while let next = pending.popFirst() {
        let message = self.message(next, frame: frame, more: !pending.isEmpty)
        if message.bytes.count <= limit { return message }
        self.tooLarge(next.key)
      }
      return nil
    }
  }

  private func message(_ pending: Pending, frame: Int, more: Bool) -> EncodedMessage {
    var params: JSONObject = [
      "subscription": .string(pending.key), "model": .string(pending.instance.model),
      "schema": .string(pending.instance.schema), "revision": JSONValue(pending.instance.revision),
      "frame": JSONValue(frame), "causedBy": .array(pending.causes.map(\.json)),
    ]
    let full = pending.instance.state.serialized()
    var member = (name: "state", json: full)
    if pending.delivery == .merge, let delivered = pending.delivered {
      let patch = MergePatch.difference(from: delivered.state, to: pending.instance.state)
        .serialized()
      // Only where it is worth it: at most half the whole (bridge-protocol §4.3).
      if patch.count * 2 <= full.count {
        params["base"] = JSONValue(delivered.revision)
        member = ("merge", patch)
      }
    }
    if more { params["more"] = true }
    if let digest {
      params["digest"] = .string(digest(pending.instance.state.serialized(sortedKeys: true)))
    }
    return EncodedMessage(notification: "models/snapshot", params, member: member)
  }
}
