import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite(
  "grain-core demo as a program", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct DemoTests {
  @Test("tells the whole story, and sums it up for programs")
  func story() async throws {
    let folder = try TemporaryFolder()
    let photos = try SamplePhotoFiles(in: folder)
    try Data("not a picture's name".utf8).write(to: URL(filePath: folder.path("photos/notes.txt")))
    let run = try await BuiltProgram.run(
      ["demo", "--json", "--photos", photos.folder], home: folder.path)
    #expect(run.status == 0, Comment(rawValue: run.output + run.errors))
    let lines = try run.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
    let summary = try #require(lines.last)
    #expect(summary["ok"] == true)
    #expect(summary["photos"] == 3)
    #expect(summary["seenByAppView"] == true)
    #expect(summary["gpsLeaked"] == false)
    #expect((summary["requests"]?["signIn"]?.intValue ?? 99) <= 8)
    #expect(lines.contains { $0["step"] == "published" })
  }

  @Test("for a person it speaks in lines, and leaves nothing behind")
  func forPeople() async throws {
    let folder = try TemporaryFolder()
    let run = try await BuiltProgram.run(["demo"], home: folder.path)
    #expect(run.status == 0, Comment(rawValue: run.output + run.errors))
    for step in ["signed in", "published", "restarted", "read back", "signed out"] {
      #expect(run.output.contains("✓ \(step)"), Comment(rawValue: run.output))
    }
    #expect(!run.output.contains("✗"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("photographs that are not there are a sentence and a failed run, not a crash")
  func badFolders() async throws {
    let folder = try TemporaryFolder()
    let empty = folder.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    let file = folder.path("file.jpg")
    try Data([1]).write(to: URL(filePath: file))
    let bad = folder.path("bad")
    try FileManager.default.createDirectory(atPath: bad, withIntermediateDirectories: false)
    try Data("no picture".utf8).write(to: URL(filePath: "\(bad)/letter.jpg"))
    for (path, words) in [
      (folder.path("missing"), "there is no folder"), (empty, "has no pictures"),
      (file, "there is no folder"), (bad, "letter.jpg is not a picture"),
    ] {
      let run = try await BuiltProgram.run(["demo", "--photos", path], home: folder.path)
      #expect(run.status == 1)
      #expect(run.output.contains("✗"))
      #expect(run.output.contains(words), Comment(rawValue: run.output))
      let asJSON = try await BuiltProgram.run(
        ["demo", "--json", "--photos", path], home: folder.path)
      #expect(asJSON.status == 1)
      let last = try #require(asJSON.output.split(separator: "\n").last)
      #expect(try JSONParser.parse(Array(last.utf8))["ok"] == false)
    }
  }
}
