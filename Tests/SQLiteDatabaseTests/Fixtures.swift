import Foundation
import GrainTestSupport
import SQLiteDatabase

/// The mark and the schema that these tests write.
enum Notebook {
  static let mark: Int32 = 0x6e6f_7465
  static let first = "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;"
  static let second =
    "ALTER TABLE note ADD COLUMN pinned INTEGER; CREATE INDEX pins ON note(pinned);"

  /// A database with the first schema and those notes.
  static func make(at path: String, _ notes: [String] = []) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path)
    try connection.migrate([first], applicationID: mark)
    for note in notes { try connection.execute("INSERT INTO note(text) VALUES(?)", [.text(note)]) }
    return connection
  }

  static func notes(_ connection: SQLiteConnection) throws -> [String] {
    try connection.query("SELECT text FROM note ORDER BY id").compactMap { $0.text("text") }
  }
}

/// The content of every file in a folder: what must be the same after a refusal.
func contents(of folder: TemporaryFolder) throws -> [String: Data] {
  let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
  return try Dictionary(
    uniqueKeysWithValues: names.map { name in
      (name, try Data(contentsOf: URL(filePath: folder.path(name))))
    })
}

/// The files as a power cut would leave them: database and log, copied while in use.
func crashImage(of path: String, in folder: TemporaryFolder) throws -> String {
  let copy = folder.path("copy.sqlite")
  for suffix in ["", "-wal"] {
    try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
  }
  return copy
}

/// Everything after the attempt that a closure made, or nil where it made none.
func failure(_ body: () throws -> Void) -> SQLiteError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SQLiteError
  }
}
