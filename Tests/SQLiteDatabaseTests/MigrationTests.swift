import CSQLite
import Foundation
import GrainTestSupport
import SQLiteDatabase
import Testing

@Suite("Migrations")
struct MigrationTests {
  @Test("a new file gets every step, an older one the missing steps, a current one none")
  func steps() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    var connection = try Notebook.make(at: path, ["kept"])
    #expect(try version(connection) == [1, Int64(Notebook.mark)])
    for _ in 0..<2 {
      connection = try SQLiteConnection(path: path)
      try connection.migrate([Notebook.first, Notebook.second], applicationID: Notebook.mark)
      #expect(try version(connection) == [2, Int64(Notebook.mark)])
    }
    #expect(try connection.query("SELECT text, pinned FROM note").first?["pinned"] == .null)
    #expect(try Notebook.notes(connection) == ["kept"])
  }

  @Test("a database in memory is migrated as well")
  func memory() throws {
    let connection = try SQLiteConnection(path: ":memory:", options: .memory)
    try connection.migrate([Notebook.first], applicationID: Notebook.mark)
    try connection.migrate([Notebook.first, Notebook.second], applicationID: Notebook.mark)
    #expect(try version(connection) == [2, Int64(Notebook.mark)])
    #expect(
      failure { try connection.migrate([], applicationID: Notebook.mark) }
        == .newerSchema(found: 2, known: 0))
  }

  @Test("a failing step leaves the file as it was before the first missing step")
  func failingStep() throws {
    let folder = try TemporaryFolder()
    let connection = try Notebook.make(at: folder.path("db"), ["kept"])
    #expect(throws: SQLiteError.self) {
      try connection.migrate(
        [Notebook.first, Notebook.second, "CREATE TABLE note(a)"], applicationID: Notebook.mark)
    }
    #expect(try version(connection)[0] == 1)
    #expect(throws: SQLiteError.self) { try connection.query("SELECT pinned FROM note") }
    #expect(try Notebook.notes(connection) == ["kept"])
  }

  @Test("two connections may migrate one after the other, whoever opened first")
  func twoConnections() throws {
    let folder = try TemporaryFolder()
    let early = try SQLiteConnection(path: folder.path("db"))
    let late = try Notebook.make(at: folder.path("db"), ["a"])
    try early.migrate([Notebook.first], applicationID: Notebook.mark)
    #expect(try Notebook.notes(early) == ["a"])
    #expect(try Notebook.notes(late) == ["a"])
  }

  @Test("two threads may open and migrate one new file at the same moment")
  func sameMoment() throws {
    for _ in 0..<30 {
      let folder = try TemporaryFolder()
      let path = folder.path("db")
      let failures = Recorder<SQLiteError>()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let met = failure {
          try SQLiteConnection(path: path)
            .migrate([Notebook.first, Notebook.second], applicationID: Notebook.mark)
        }
        if let met { failures.record(met) }
      }
      #expect(failures.values.isEmpty)
      #expect(try version(SQLiteConnection(path: path)) == [2, Int64(Notebook.mark)])
    }
  }

  @Test("a new file that another is writing to at that moment is waited for")
  func written() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let held = Recorder<Bool>()
    async let writing: Void = onThread {
      let other = try SQLiteConnection(
        path: path, options: SQLiteOptions(busyTimeout: 0, writesAhead: false))
      try other.execute("BEGIN IMMEDIATE")
      held.record(true)
      usleep(300_000)
      held.record(false)
      try other.execute("ROLLBACK")
    }
    await held.wait { !$0.isEmpty }
    try await onThread {
      try SQLiteConnection(path: path).migrate([Notebook.first], applicationID: Notebook.mark)
    }
    #expect(held.values == [true, false])
    try await writing
  }

  @Test("a crash between opening a new file and its first step is made good")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    try SQLiteConnection(path: folder.path("db")).execute("PRAGMA user_version = 0")
    let connection = try SQLiteConnection(path: folder.path("db"))
    try connection.migrate([Notebook.first], applicationID: Notebook.mark)
    #expect(try version(connection) == [1, Int64(Notebook.mark)])
  }

  @Test("a store is blank until its first step, and looking writes nothing")
  func blank() throws {
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(path: folder.path("db"))
    #expect(try connection.isBlank())
    #expect(try contents(of: folder) == ["db": Data()])
    try connection.migrate([Notebook.first], applicationID: Notebook.mark)
    #expect(try !connection.isBlank())
    #expect(try !SQLiteConnection(path: folder.path("db")).isBlank())
  }

  @Test(
    "a file of a newer program is refused, and no byte of it or beside it changes (FB-E7)",
    arguments: [2, 1000, Int32.max, -1])
  func newer(stored: Int32) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    try Notebook.make(at: path, ["theirs"]).execute("PRAGMA user_version = \(stored)")
    // Its journal mode must not change either.
    try withRawConnection(path) {
      #expect(sqlite3_exec($0, "PRAGMA journal_mode=DELETE", nil, nil, nil) == 0)
    }
    try expectRefusal(
      .newerSchema(found: Int(UInt32(bitPattern: stored)), known: 1), of: path, in: folder)
  }

  @Test("text where the version belongs reads as a newer version, never as none")
  func textVersion() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    _ = try Notebook.make(at: path)
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.replaceSubrange(60..<64, with: Data("v2.0".utf8))
    try bytes.write(to: URL(filePath: path))
    try expectRefusal(.newerSchema(found: 0x7632_2e30, known: 1), of: path, in: folder)
  }

  @Test("a newer version that a crash left only in the log is seen there")
  func newerInLog() throws {
    let folder = try TemporaryFolder()
    let source = try Notebook.make(at: folder.path("db"), ["a"])
    try source.checkpoint()
    try source.execute("PRAGMA user_version = 7")
    let image = try TemporaryFolder()
    let path = try crashImage(of: folder.path("db"), in: image)
    try expectRefusal(.newerSchema(found: 7, known: 1), of: path, in: image)
    // Had only the file been looked at, version 1 would have been found.
    try FileManager.default.removeItem(atPath: path + "-wal")
    let older = try SQLiteConnection(path: path)
    try older.migrate([Notebook.first], applicationID: Notebook.mark)
  }

  @Test("wherever a crash cut the log, the version found is the one SQLite would recover")
  func tornLog() throws {
    let folder = try TemporaryFolder()
    let source = try Notebook.make(at: folder.path("db"))
    for version in 2...9 {
      if version == 4 { try source.checkpoint() }  // what follows overwrites older frames
      try source.transaction {
        try source.execute("INSERT INTO note(text) VALUES(hex(randomblob(3000)))")
        try source.execute("PRAGMA user_version = \(version)")
      }
    }
    let size = try Data(contentsOf: URL(filePath: folder.path("db-wal"))).count
    var seen: Set<Int> = []
    for length in Array(stride(from: 0, to: size, by: 1373)) + [size] {
      let image = try TemporaryFolder()
      let path = try crashImage(of: folder.path("db"), in: image)
      let log = try FileHandle(forUpdating: URL(filePath: path + "-wal"))
      try log.truncate(atOffset: UInt64(length))
      try log.close()
      let ours = failure {
        try SQLiteConnection(path: path).migrate([], applicationID: Notebook.mark)
      }
      let recovered = try version(SQLiteConnection(path: path))[0]
      #expect(ours == .newerSchema(found: Int(recovered), known: 0), "cut at \(length)")
      seen.insert(Int(recovered))
    }
    #expect(seen == [3, 4, 5, 6, 7, 8, 9])
  }

  @Test("a flipped bit in the log hides what follows, as it does for SQLite")
  func damagedLog() throws {
    let folder = try TemporaryFolder()
    let source = try Notebook.make(at: folder.path("db"))
    try source.checkpoint()
    for version in 2...4 { try source.execute("PRAGMA user_version = \(version)") }
    let size = try Data(contentsOf: URL(filePath: folder.path("db-wal"))).count
    for offset in stride(from: 3, to: size, by: 211) {
      let image = try TemporaryFolder()
      let path = try crashImage(of: folder.path("db"), in: image)
      var log = try Data(contentsOf: URL(filePath: path + "-wal"))
      log[offset] ^= 0x10
      try log.write(to: URL(filePath: path + "-wal"))
      let ours = failure {
        try SQLiteConnection(path: path).migrate([], applicationID: Notebook.mark)
      }
      let recovered = try version(SQLiteConnection(path: path))[0]
      #expect(ours == .newerSchema(found: Int(recovered), known: 0), "flipped at \(offset)")
    }
  }

  @Test("a file of another program is refused, and no byte of it changes")
  func foreign() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    try withRawConnection(path) {
      #expect(sqlite3_exec($0, "CREATE TABLE t(a); PRAGMA application_id = 99", nil, nil, nil) == 0)
    }
    try expectRefusal(.foreignApplication, of: path, in: folder)
  }

  @Test("tables without any mark are another program's (FB-E7)", arguments: [0, 1, 50])
  func unmarkedTables(stored: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let sql = "CREATE TABLE t(a); PRAGMA user_version = \(stored)"
    try withRawConnection(path) { #expect(sqlite3_exec($0, sql, nil, nil, nil) == 0) }
    try expectRefusal(.foreignApplication, of: path, in: folder)
  }

  private func version(_ connection: SQLiteConnection) throws -> [Int64] {
    let version = try connection.query("PRAGMA user_version").first?.integer("user_version")
    let mark = try connection.query("PRAGMA application_id").first?.integer("application_id")
    return try [#require(version), #require(mark)]
  }

  private func expectRefusal(
    _ error: SQLiteError, of path: String, in folder: TemporaryFolder,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try contents(of: folder)
    for _ in 0..<2 {
      let met = failure {
        try SQLiteConnection(path: path).migrate([Notebook.first], applicationID: Notebook.mark)
      }
      #expect(met == error, sourceLocation: sourceLocation)
    }
    #expect(try contents(of: folder) == before, sourceLocation: sourceLocation)
  }

  private func withRawConnection(_ path: String, _ body: (OpaquePointer?) -> Void) throws {
    var raw: OpaquePointer?
    #expect(sqlite3_open(path, &raw) == SQLITE_OK)
    body(raw)
    sqlite3_close(raw)
  }
}
