/// How a connection behaves.
package struct SQLiteOptions: Sendable {
  /// How long a statement waits for another connection's lock before it fails as busy, in
  /// milliseconds.
  package var busyTimeout: Int32
  /// Whether changes go to a write-ahead log, so that reading never waits for writing.
  package var writesAhead: Bool

  /// A database in a file.
  package static let file = SQLiteOptions(busyTimeout: 5000, writesAhead: true)

  /// A database that lives as long as its connection, at the path `:memory:`.
  package static let memory = SQLiteOptions(busyTimeout: 0, writesAhead: false)

  /// Explicit choices; tests use a short timeout.
  package init(busyTimeout: Int32, writesAhead: Bool) {
    self.busyTimeout = busyTimeout
    self.writesAhead = writesAhead
  }
}
