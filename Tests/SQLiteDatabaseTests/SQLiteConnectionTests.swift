import Foundation
import GrainTestSupport
import SQLiteDatabase
import Testing

@Suite("A connection")
struct SQLiteConnectionTests {
  @Test("gives back every kind of value as it was stored")
  func values() throws {
    let connection = try SQLiteConnection(path: ":memory:", options: .memory)
    try connection.execute("CREATE TABLE t(v ANY) STRICT")
    let values: [SQLiteValue] = [
      .null, .integer(.min), .integer(.max), .real(-0.5), .text(""), .text("Grüße 🌾"),
      .text("nul\u{0}inside"), .blob([]), .blob([0, 255, 0]),
    ]
    for value in values { try connection.execute("INSERT INTO t VALUES(?)", [value]) }
    #expect(try connection.query("SELECT v FROM t ORDER BY rowid").map { $0["v"] } == values)
  }

  @Test("rows name their columns and give a value only as the type it has")
  func rows() throws {
    let connection = try SQLiteConnection(path: ":memory:", options: .memory)
    let row = try #require(
      connection.query("SELECT 1 AS a, 'x' AS b, x'00' AS c, 1.5 AS d, NULL AS e").first)
    #expect(row.columns == ["a", "b", "c", "d", "e"])
    #expect(row.integer("a") == 1 && row.text("b") == "x" && row.blob("c") == [0])
    #expect(row.real("d") == 1.5 && row["e"] == .null)
    #expect(row.text("a") == nil && row.integer("b") == nil && row.blob("b") == nil)
    #expect(row.real("a") == nil && row.text("e") == nil)
  }

  @Test("a file is set up as promised: log, full synchronisation, erasing, foreign keys, patience")
  func pragmas() throws {
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(path: folder.path("db"))
    func pragma(_ name: String) throws -> SQLiteValue? {
      try connection.query("PRAGMA \(name)").first?.values.first
    }
    #expect(try pragma("journal_mode") == .text("wal"))
    #expect(try pragma("synchronous") == .integer(2))
    #expect(try pragma("secure_delete") == .integer(1))
    #expect(try pragma("foreign_keys") == .integer(1))
    #expect(try pragma("busy_timeout") == .integer(5000))
    #expect(try pragma("trusted_schema") == .integer(0))
  }

  @Test("only the owner may read the file and its companions; a loose mode is repaired (FB-E5)")
  func modes() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let first = try Notebook.make(at: path, ["a"])
    let files = [path, path + "-wal", path + "-shm"]
    func modes() throws -> [Int] {
      try files.map { file in
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        return (mode as? NSNumber)?.intValue ?? 0
      }
    }
    #expect(try modes() == [0o600, 0o600, 0o600])
    for file in files {
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
    }
    let second = try SQLiteConnection(path: path)
    #expect(try modes() == [0o600, 0o600, 0o600])
    #expect(try Notebook.notes(second) == ["a"])
    #expect(try Notebook.notes(first) == ["a"])
  }

  @Test("a transaction is kept as a whole or not at all")
  func transaction() throws {
    struct Refused: Error {}
    let folder = try TemporaryFolder()
    let connection = try Notebook.make(at: folder.path("db"))
    let count = try connection.transaction {
      try connection.execute("INSERT INTO note(text) VALUES('a'),('b')")
      return connection.changes
    }
    #expect(count == 2)
    #expect(throws: Refused.self) {
      try connection.transaction {
        try connection.execute("DELETE FROM note")
        throw Refused()
      }
    }
    #expect(
      failure {
        try connection.transaction {
          try connection.execute("INSERT INTO note(text) VALUES('c')")
          try connection.execute("INSERT INTO note(text) VALUES(NULL)")
        }
      } == .constraint("NOT NULL constraint failed: note.text"))
    #expect(try Notebook.notes(connection) == ["a", "b"])
  }

  @Test("a transaction inside another is refused and does not end the outer one")
  func nested() throws {
    let folder = try TemporaryFolder()
    let connection = try Notebook.make(at: folder.path("db"))
    try connection.transaction {
      try connection.execute("INSERT INTO note(text) VALUES('outer')")
      #expect(throws: SQLiteError.self) { try connection.transaction {} }
    }
    #expect(try Notebook.notes(connection) == ["outer"])
  }

  @Test("a reader sees what was committed, and never waits for a writer")
  func isolation() throws {
    let folder = try TemporaryFolder()
    let writer = try Notebook.make(at: folder.path("db"), ["old"])
    let impatient = SQLiteOptions(busyTimeout: 0, writesAhead: true)
    let reader = try SQLiteConnection(path: folder.path("db"), options: impatient)
    try writer.transaction {
      try writer.execute("UPDATE note SET text = 'new'")
      #expect(try Notebook.notes(reader) == ["old"])
    }
    #expect(try Notebook.notes(reader) == ["new"])
  }

  @Test("what is deleted is gone from the files after a checkpoint")
  func erasing() throws {
    let folder = try TemporaryFolder()
    let connection = try Notebook.make(at: folder.path("db"), ["plain-words-to-find"])
    func isFound() throws -> Bool {
      try contents(of: folder).values.contains { $0.range(of: Data("words-to-find".utf8)) != nil }
    }
    #expect(try isFound())
    try connection.execute("DELETE FROM note")
    #expect(try connection.checkpoint())
    #expect(try !isFound())
  }

  @Test("a checkpoint that another connection prevents says so")
  func blockedCheckpoint() throws {
    let folder = try TemporaryFolder()
    let first = try Notebook.make(at: folder.path("db"), ["a"])
    let impatient = SQLiteOptions(busyTimeout: 0, writesAhead: true)
    let second = try SQLiteConnection(path: folder.path("db"), options: impatient)
    let isDone = try first.transaction { try second.checkpoint() }
    #expect(!isDone)
    #expect(try second.checkpoint())
  }

  @Test(
    "a mistake in our own SQL is an error, never half done",
    arguments: [
      ("SELECT", []), ("SELECT ?", []), ("SELECT 1", [.integer(1)]), ("", []),
      ("DELETE FROM note; DELETE FROM note", []), ("SELECT * FROM missing", []),
    ] as [(String, [SQLiteValue])])
  func mistakes(sql: String, bindings: [SQLiteValue]) throws {
    let folder = try TemporaryFolder()
    let connection = try Notebook.make(at: folder.path("db"), ["a"])
    guard case .other = failure({ try connection.execute(sql, bindings) }) else {
      Issue.record("expected SQLiteError.other")
      return
    }
    #expect(try Notebook.notes(connection) == ["a"])
  }

  @Test("one statement may end with a semicolon and a comment-free rest")
  func semicolon() throws {
    let connection = try SQLiteConnection(path: ":memory:", options: .memory)
    try connection.execute("CREATE TABLE t(a); \n")
    #expect(try connection.query("SELECT count(*) AS n FROM t;").first?.integer("n") == 0)
  }
}
