/// Where state documents come from.
///
/// The connection keeps no document, only marks that say which subscriptions have changed. When the pipe can
/// take bytes and a mark is due, the writer thread asks for one frame: `capture` notes the newest state of all
/// those subscriptions as of one instant (O8), then the function it returned is called until it gives `nil`,
/// each time for the next message. Between two calls the message before is written, so only one is in memory.
package struct StateSource: Sendable {
  /// Gives the next message of a frame; `nil` ends the frame.
  package typealias Frame = () -> EncodedMessage?

  /// Called on the writer thread while `RPCConnection.withStateHeld` keeps everybody else out: it must only
  /// take hold of values, not encode them. Subscriptions come in the order they were opened, and one that
  /// the source does not know any more is to be skipped.
  package var capture: @Sendable (_ subscriptions: [String]) -> Frame

  /// A source that captures so.
  package init(capture: @escaping @Sendable (_ subscriptions: [String]) -> Frame) {
    self.capture = capture
  }

  /// For connections without state.
  package static let none = StateSource { _ in { nil } }
}

/// One delivery of state: a key of the peer's choice, and how often it may be served.
package struct RPCSubscription: Hashable, Sendable {
  /// What the peer calls it.
  package let key: String
  /// How many snapshots a second there may be at most.
  package let maximumRate: Int

  /// A subscription.
  package init(key: String, maximumRate: Int) {
    self.key = key
    self.maximumRate = max(1, maximumRate)
  }
}
