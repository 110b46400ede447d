package import SQLiteDatabase

/// Everything the local network remembers: one SQLite database, in memory or in a file.
///
/// The servers share it only because they share a process: each has tables of its own and touches
/// no other's. What one server knows of another it has learnt over HTTP.
package actor SandboxStore {
  private let connection: SQLiteConnection

  /// - Parameter path: a file, or `:memory:`.
  /// - Throws: `SQLiteError`; a file of another program is left untouched.
  package init(path: String) throws(SQLiteError) {
    connection = try SQLiteConnection(path: path, options: path == ":memory:" ? .memory : .file)
    try connection.migrate(
      SandboxStore.networkMigrations + PLCDirectory.migrations + PersonalDataServer.migrations
        + AppView.migrations + SandboxStore.authorizationMigrations + SandboxAuthority.migrations
        + TokenServiceStore.migrations + PixivServiceStore.migrations,
      applicationID: 0x6772_7362)
  }

  /// Runs `body` in one transaction; nothing is kept when it throws.
  package func write<T: Sendable>(
    _ body: @Sendable (SQLiteConnection) throws -> T
  ) throws -> T {
    try connection.transaction { try body(connection) }
  }

  /// Runs `body`, which only reads.
  package func read<T: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> T) throws -> T {
    try body(connection)
  }
}

extension SandboxStore {
  static let authorizationMigrations = AuthorizationStore.migrations
}

extension SandboxStore {
  static let networkMigrations = [
    """
    CREATE TABLE sandbox_port (server TEXT PRIMARY KEY, port INTEGER NOT NULL) STRICT;
    CREATE TABLE sandbox_start (count INTEGER NOT NULL) STRICT;
    INSERT INTO sandbox_start VALUES (0);
    """
  ]

  /// How often a network was started on this database before; each call is one more start.
  func countStart() throws -> Int64 {
    try write { database in
      let count = try database.query("SELECT count FROM sandbox_start").first?.integer("count") ?? 0
      try database.execute("UPDATE sandbox_start SET count = count + 1")
      return count
    }
  }

  /// The port a server had last time; 0 when it had none.
  func port(of server: String) throws -> Int {
    let rows = try read { database in
      try database.query(
        "SELECT port FROM sandbox_port WHERE server = ?", [.text(server)])
    }
    return Int(rows.first?.integer("port") ?? 0)
  }

  func remember(port: Int, of server: String) throws {
    try write { database in
      try database.execute(
        "INSERT OR REPLACE INTO sandbox_port VALUES (?, ?)",
        [.text(server), .integer(Int64(port))])
    }
  }
}
