import Foundation
import GrainTestSupport
import SQLiteDatabase
import Testing

@Suite("A database on a disk of its own")
struct DiskTests {
  @Test(
    "a full disk is reported as full, and everything committed survives",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func full() async throws {
    let folder = try TemporaryFolder()
    let run = try await MountNamespace.rerun(
      "InsideSmallDisk", at: folder.path, mounting: MountNamespace.smallDisk(kibibytes: 400))
    #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
  }

  @Test(
    "a read-only disk is reported as read-only",
    .enabled(Comment(rawValue: MountNamespace.skipReason)) { await MountNamespace.isPossible() })
  func readOnly() async throws {
    let folder = try TemporaryFolder()
    _ = try Notebook.make(at: folder.path("db"), ["a"])
    let before = try contents(of: folder)
    let run = try await MountNamespace.rerun(
      "InsideReadOnlyDisk", at: folder.path, mounting: MountNamespace.readOnly)
    #expect(run.status == 0 && run.output.contains("1 test"), Comment(rawValue: run.output))
    #expect(try contents(of: folder) == before)
  }
}

@Suite(
  "Inside a small disk",
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct InsideSmallDisk {
  @Test("the write that does not fit is refused as full; the others are there afterwards")
  func fill() throws {
    let folder = try #require(MountNamespace.folder)
    let path = "\(folder)/db"
    let connection = try Notebook.make(at: path)
    var written = 0
    var met: SQLiteError?
    while met == nil, written < 1000 {
      met = failure {
        try connection.transaction {
          try connection.execute("INSERT INTO note(text) VALUES(hex(randomblob(4000)))")
        }
      }
      if met == nil { written += 1 }
    }
    #expect(met == .full)
    #expect(written > 5)
    #expect(try Notebook.notes(connection).count == written)
    #expect(try Notebook.notes(SQLiteConnection(path: path)).count == written)
    // A second database does not even fit.
    let filler = FileManager.default.createFile(
      atPath: "\(folder)/x", contents: Data(count: 1 << 20))
    _ = filler
    let second = failure {
      try SQLiteConnection(path: "\(folder)/other").migrate(
        [Notebook.first], applicationID: Notebook.mark)
    }
    #expect(second == .full)
  }
}

@Suite(
  "Inside a read-only disk",
  .enabled(if: MountNamespace.folder != nil, Comment(rawValue: MountNamespace.innerReason)))
struct InsideReadOnlyDisk {
  @Test("an existing and a missing database are both refused as read-only")
  func refused() throws {
    let folder = try #require(MountNamespace.folder)
    for name in ["db", "missing"] {
      #expect(failure { _ = try SQLiteConnection(path: "\(folder)/\(name)") } == .readOnly)
    }
  }
}
