import Foundation
import GrainTestSupport
import SQLiteDatabase
import Testing

@Suite("A database that cannot be used")
struct FailureTests {
  private let impatient = SQLiteOptions(busyTimeout: 0, writesAhead: true)

  @Test("another connection's lock makes a writer busy, and nothing is lost when it goes (FB-E1)")
  func busy() throws {
    let folder = try TemporaryFolder()
    let holder = try Notebook.make(at: folder.path("db"))
    let writer = try SQLiteConnection(path: folder.path("db"), options: impatient)
    let insert = { try writer.execute("INSERT INTO note(text) VALUES('late')") }
    try holder.transaction { #expect(failure(insert) == .busy) }
    try insert()
    #expect(try Notebook.notes(writer) == ["late"])
  }

  @Test("a writer waits for a lock that goes within its patience (FB-E1)")
  func waits() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    _ = try Notebook.make(at: path)
    let isHeld = DispatchSemaphore(value: 0)
    let holder = Thread {
      // A failure shows as a missing note.
      try? SQLiteConnection(path: path).transaction {
        isHeld.signal()
        usleep(150_000)  // the other connection's work, not our waiting
      }
    }
    holder.start()
    isHeld.wait()
    let writer = try SQLiteConnection(path: path)
    try writer.execute("INSERT INTO note(text) VALUES('patient')")
    #expect(try Notebook.notes(writer) == ["patient"])
  }

  @Test("a database at its size limit is full, keeps what it had and goes on when there is room")
  func full() throws {
    let folder = try TemporaryFolder()
    let connection = try Notebook.make(at: folder.path("db"), ["kept"])
    _ = try connection.query("PRAGMA max_page_count = 4")
    let fill = {
      try connection.transaction {
        for _ in 0..<20 {
          try connection.execute("INSERT INTO note(text) VALUES(hex(randomblob(2000)))")
        }
      }
    }
    #expect(failure(fill) == .full)
    #expect(try Notebook.notes(connection) == ["kept"])
    _ = try connection.query("PRAGMA max_page_count = 1000")
    try fill()
    #expect(try Notebook.notes(connection).count == 21)
  }

  @Test("bytes that never were a database are refused and kept", arguments: [1, 50, 4096])
  func notADatabase(length: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) })
    try bytes.write(to: URL(filePath: folder.path("db")))
    #expect(failure { _ = try SQLiteConnection(path: folder.path("db")) } == .notADatabase)
    #expect(try contents(of: folder) == ["db": bytes])
  }

  @Test("a damaged file is corrupt, not empty and not ours to repair (FB-E3)")
  func corrupt() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let notes = (0..<200).map { "note \($0) \(String(repeating: "x", count: 200))" }
    _ = try Notebook.make(at: path, notes)
    let sound = try Data(contentsOf: URL(filePath: path))
    var flipped = sound
    for offset in stride(from: 4096, to: sound.count, by: 256) { flipped[offset] ^= 0xff }
    for damaged in [sound.prefix(sound.count / 2), flipped] {
      try damaged.write(to: URL(filePath: path))
      let met = failure {
        let connection = try SQLiteConnection(path: path)
        try connection.migrate([Notebook.first], applicationID: Notebook.mark)
        _ = try Notebook.notes(connection)
      }
      guard case .corrupt = met else {
        Issue.record("expected corrupt, met \(String(describing: met))")
        continue
      }
      #expect(try Data(contentsOf: URL(filePath: path)) == damaged)
    }
  }

  @Test("a thorough look names what is wrong, and nothing in a sound file")
  func integrity() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let notes = (0..<50).map { "note \($0)" }
    let sound = try Notebook.make(at: path, notes)
    #expect(try sound.integrityProblems().isEmpty)
    try sound.execute("CREATE INDEX words ON note(text)")
    try sound.execute("PRAGMA writable_schema = ON")
    try sound.execute("DELETE FROM sqlite_schema WHERE name = 'words'")
    #expect(try !SQLiteConnection(path: path).integrityProblems().isEmpty)
  }

  @Test("a path without a folder, or that is a folder, cannot be opened")
  func cannotOpen() throws {
    let folder = try TemporaryFolder()
    for path in [folder.path("missing/db"), folder.path] {
      guard case .cannotOpen = failure({ _ = try SQLiteConnection(path: path) }) else {
        Issue.record("expected cannotOpen for \(path)")
        continue
      }
    }
    #expect(try contents(of: folder).isEmpty)
  }

  @Test("a file of length zero is a new database")
  func zeroLength() throws {
    let folder = try TemporaryFolder()
    #expect(FileManager.default.createFile(atPath: folder.path("db"), contents: nil))
    let connection = try Notebook.make(at: folder.path("db"), ["first"])
    #expect(try Notebook.notes(connection) == ["first"])
  }
}
