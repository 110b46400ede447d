/// The door to a clock that only goes forward, for pacing and for noticing a stuck peer.
///
/// The wall clock will not do: somebody may set it back.
package struct MonotonicClock: Sendable {
  /// The time since a moment that stays the same.
  package var now: @Sendable () -> Duration
  /// Whether time passes while nobody looks. If not, a test moves it and says so with
  /// `RPCConnection.clockMoved()`.
  package var runsByItself: Bool

  /// A clock made of these parts.
  package init(now: @escaping @Sendable () -> Duration, runsByItself: Bool) {
    self.now = now
    self.runsByItself = runsByItself
  }

  /// The machine's clock. It stands still while the machine sleeps, so waking up makes nobody late.
  package static let live = {
    let start = SuspendingClock.now
    return MonotonicClock(now: { start.duration(to: .now) }, runsByItself: true)
  }()
}
