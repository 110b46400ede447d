import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite(
  "grain-core sandbox as a program", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct SandboxProgramTests {
  @Test("what it prints is a configuration a core works with; a restart meets the same network")
  func configuration() async throws {
    let folder = try TemporaryFolder()
    let configuration = folder.path("config.json")
    let photos = try SamplePhotoFiles(in: folder).paths
    var did = ""
    for run in 1...2 {
      let sandbox = try await SandboxProcess(database: folder.path("sandbox.sqlite"))
      let printed = JSONValue.object(sandbox.configuration).serialized()
      if run == 1 {
        try Data(printed).write(to: URL(filePath: configuration))
      } else {
        #expect(try Data(contentsOf: URL(filePath: configuration)) == Data(printed))
      }
      let core = try await CoreProcess.start(
        dataFolder: folder.path("data"), ["--config", configuration], http: sandbox.http)
      try await core.shell.initialize()
      if run == 1 { did = try await core.shell.signIn() }
      try await core.shell.wait("accounts", "signed in") { $0["session"] == "signedIn" }
      let draft = try await core.shell.draft(photos)
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await sandbox.repository(did).expect(galleries: run, photos: 3)
      try await core.end()
      try await sandbox.stop()
    }
  }

  @Test("a port that is taken ends it with 69 and words")
  func busyPort() async throws {
    let folder = try TemporaryFolder()
    let taken = try RawServer([])
    defer { taken.stop() }
    let run = try await BuiltProgram.run(
      ["sandbox", "--port", "\(taken.port)"], home: folder.path)
    #expect(run.status == 69)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("--port"), Comment(rawValue: run.errors))
  }
}
