import CSQLite
import Glibc

/// One connection to one database. Not `Sendable`: an actor owns it and runs its statements.
///
/// A file is private to its user (0600, companions included), keeps a write-ahead log, is
/// synchronised at every commit, and overwrites with zeros what is deleted. Opening one writes
/// nothing yet: the first statement does, or ``migrate(_:applicationID:)`` after it made sure that
/// the file is ours.
package final class SQLiteConnection {
  /// Where the database is; `:memory:` for none.
  package let path: String
  private let options: SQLiteOptions
  let pointer: OpaquePointer
  private var isPrepared = false
  /// What all statements so far have cost, in instructions of SQLite's virtual machine: independent of
  /// the machine, and in proportion to the rows and index entries that were looked at.
  package private(set) var work = 0

  /// Opens a database; a missing file is made.
  ///
  /// - Throws: `SQLiteError.notADatabase` for a file of another kind, `.readOnly` where it cannot be
  ///   written, `.cannotOpen` where it cannot be read, belongs to somebody else or has no folder,
  ///   `.full` where there is no room for it.
  package init(path: String, options: SQLiteOptions = .file) throws(SQLiteError) {
    self.path = path
    self.options = options
    let isFile = path != ":memory:"
    if isFile { try DatabaseFile.prepare(path) }
    var opened: OpaquePointer?
    // No mutex: the owner never lets two threads in at once.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (isFile ? 0 : SQLITE_OPEN_CREATE)
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code: code, connection: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    pointer = opened
    sqlite3_extended_result_codes(pointer, 1)
    sqlite3_busy_timeout(pointer, options.busyTimeout)
    // SQLite falls back silently to reading only.
    guard sqlite3_db_readonly(pointer, "main") == 0 else { throw .readOnly }
    if isFile { _ = try fileHeader() }
  }

  deinit { sqlite3_close_v2(pointer) }

  /// Runs one statement; rows it may return are dropped.
  package func execute(_ sql: String, _ bindings: [SQLiteValue] = []) throws(SQLiteError) {
    try prepare()
    let statement = try SQLiteStatement(sql, on: pointer)
    defer { work += statement.work }
    try statement.bind(bindings)
    while try statement.step() {}
  }

  /// Runs one statement and returns all its rows.
  package func query(
    _ sql: String, _ bindings: [SQLiteValue] = []
  ) throws(SQLiteError) -> [SQLiteRow] {
    try prepare()
    let statement = try SQLiteStatement(sql, on: pointer)
    defer { work += statement.work }
    try statement.bind(bindings)
    let columns = statement.columns
    var rows: [SQLiteRow] = []
    while try statement.step() {
      rows.append(SQLiteRow(columns: columns, values: statement.values))
    }
    return rows
  }

  /// Runs `body` between `BEGIN IMMEDIATE` and `COMMIT`.
  ///
  /// The write lock is taken at the beginning, so nothing read inside can be overtaken. Transactions
  /// do not nest.
  /// - Returns: what `body` returned, once it is safely on disk.
  /// - Throws: what `body` throws, or a `SQLiteError`; everything is rolled back then.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk may have rolled back already. A rollback that fails leaves nothing to do: the
      // first error is the one that matters, and closing rolls back too.
      if sqlite3_get_autocommit(pointer) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// How many rows the last statement inserted, updated or deleted.
  package var changes: Int { Int(sqlite3_changes64(pointer)) }

  /// Moves the write-ahead log into the database and empties it, so that deleted rows are gone from
  /// both.
  ///
  /// - Returns: false where another connection is using the log; the next checkpoint does it then.
  @discardableResult
  package func checkpoint() throws(SQLiteError) -> Bool {
    try query("PRAGMA wal_checkpoint(TRUNCATE)").first?.integer("busy") == 0
  }

  /// Whether every page of the file is where and as it should be. Quicker than
  /// ``integrityProblems()``, because indexes are not compared with their tables.
  ///
  /// - Throws: `SQLiteError.corrupt` with the first thing that is wrong.
  package func checkPages() throws(SQLiteError) {
    let found = try query("PRAGMA integrity_check(1)").first?.text("integrity_check")
    if let found, found != "ok" { throw .corrupt(found) }
  }

  /// What a thorough look at the whole file finds wrong; empty for a sound one. Takes time in
  /// proportion to the file.
  package func integrityProblems() throws(SQLiteError) -> [String] {
    try query("PRAGMA integrity_check").compactMap { $0.text("integrity_check") }
      .filter { $0 != "ok" }
  }

  /// Sets the connection up, before its first statement. This is the first thing that may write.
  func prepare() throws(SQLiteError) {
    guard !isPrepared else { return }
    isPrepared = true
    do throws(SQLiteError) {
      if options.writesAhead { try beginWriteAheadLog() }
      try run(
        """
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON;
        PRAGMA foreign_keys = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cell_size_check = ON;
        PRAGMA trusted_schema = OFF;
        """)
    } catch {
      isPrepared = false
      throw error
    }
  }

  /// Turns a file of the other kind into one with a write-ahead log.
  ///
  /// SQLite's own timeout does not help here: it reads first, and who has read and then meets another's
  /// lock is refused at once, lest the two wait for each other.
  private func beginWriteAheadLog() throws(SQLiteError) {
    let end = ContinuousClock.now + .milliseconds(options.busyTimeout)
    while true {
      do throws(SQLiteError) {
        return try run("PRAGMA journal_mode = WAL")
      } catch {
        guard error == .busy, ContinuousClock.now < end else { throw error }
        usleep(1_000)
      }
    }
  }

  /// Runs any number of statements without parameters.
  func run(_ script: String) throws(SQLiteError) {
    let code = sqlite3_exec(pointer, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: pointer) }
  }
}
