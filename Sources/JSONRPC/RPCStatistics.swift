/// How the connection is doing, at one moment.
package struct RPCStatistics: Hashable, Sendable {
  /// Since the connection was started.
  package var uptime: Duration
  /// The age of the oldest request of the peer without an answer; zero when there is none.
  package var oldestPending: Duration
  /// How many requests of the peer have no answer yet.
  package var inFlight: Int
  /// How many subscriptions are open.
  package var subscriptions: Int
  /// Bytes of control messages not yet written.
  package var queuedControlBytes: Int
  /// How many changes were merged into one that was waiting already.
  package var coalesced: Int
  /// How many notifications nobody wanted.
  package var ignoredNotifications: Int
}
