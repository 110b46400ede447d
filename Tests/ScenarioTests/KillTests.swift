import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// A moment of publishing at which the core is killed.
struct KillPoint: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The request at the server at that moment, held before it is processed; `nil` while photographs
  /// are still being added.
  let path: String?
  /// Requests to that path that pass before.
  var after = 0
  /// The commit is processed, but its answer does not arrive.
  var losesCommitAnswer = false
  /// The held request is processed only after the next core is done.
  var isProcessedLate = false
  /// A Bluesky post is wanted as well.
  var posts = false
  /// The post is processed, but its answer does not arrive.
  var losesPostAnswer = false

  static let all = [
    KillPoint(testDescription: "while photographs are being added", path: nil),
    KillPoint(testDescription: "at the first upload", path: Path.uploadBlob),
    KillPoint(testDescription: "at the second upload", path: Path.uploadBlob, after: 1),
    KillPoint(testDescription: "at the last upload", path: Path.uploadBlob, after: 2),
    KillPoint(
      testDescription: "when the commit is at the server, which takes it afterwards",
      path: Path.applyWrites),
    KillPoint(
      testDescription: "when the commit is at the server, which takes it after the next one",
      path: Path.applyWrites, isProcessedLate: true),
    KillPoint(
      testDescription: "when the commit has landed and its answer is lost", path: Path.getRecord,
      losesCommitAnswer: true),
    KillPoint(testDescription: "when the AppView is being told", path: Path.indexRecords),
    KillPoint(
      testDescription: "between the gallery and its post (FB-D11)", path: Path.indexRecords,
      posts: true),
    KillPoint(
      testDescription: "when the post is at the server, which takes it afterwards (FB-D11)",
      path: Path.createRecord, posts: true),
    KillPoint(
      testDescription: "when the post is at the server, which takes it after the next one (FB-D11)",
      path: Path.createRecord, isProcessedLate: true, posts: true),
    KillPoint(
      testDescription: "when the post has landed and its answer is lost (FB-D11)",
      path: Path.getRecord, posts: true, losesPostAnswer: true),
  ]
}

@Suite(
  "kill -9", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct KillTests {
  @Test(
    "a core killed in the middle of publishing ends in exactly one whole gallery (FB-D10, G108)",
    arguments: KillPoint.all)
  func exactly(_ point: KillPoint) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      let did = try await first.shell.signIn()
      let photos = try world.samplePhotos()
      let draft = try await first.shell.emptyDraft()
      if let path = point.path {
        _ = try await first.shell.add(photos, to: draft)
        if point.posts {
          try await first.shell.call(
            "gallery.setDetails", ["draft": .string(draft), "crossPost": true])
        }
        if point.losesPostAnswer {
          await world.network.faults.add(.lostAnswer, on: .pds(Path.createRecord), times: 100)
        }
        if point.losesCommitAnswer {
          await world.network.faults.add(.lostAnswer, on: .pds(Path.applyWrites), times: 100)
        }
        await world.network.faults.add(.delay(.zero), on: .pds(path), after: point.after)
        try await first.shell.call("gallery.publish", ["draft": .string(draft)])
        try await world.arrival("the moment")
      } else {
        let files = photos.map { JSONValue.object(["path": .string($0)]) }
        try await first.shell.call(
          "gallery.addPhotos", ["draft": .string(draft), "files": .array(files)])
      }
      try await first.kill()
      await world.network.faults.clear()
      if !point.isProcessedLate { world.turnstile.open() }

      let second = try await world.process()
      let accounts = try await second.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["active"]?.stringValue == did)
      try await second.shell.finish(draft, photos: 3)
      world.turnstile.open()
      try await second.end()
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == (point.posts ? 1 : 0))
    }
  }

  @Test("killed at any moment, nine times over, every gallery is whole (FB-D10, FB-E4)")
  func anywhere() async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await SandboxProcess(database: folder.path("sandbox.sqlite"))
    let configuration = folder.path("config.json")
    try Data(JSONValue.object(sandbox.configuration).serialized())
      .write(to: URL(filePath: configuration))
    let photos = try SamplePhotoFiles(in: folder).paths
    func start() async throws -> CoreProcess {
      let core = try await CoreProcess.start(
        dataFolder: folder.path("data"), ["--config", configuration], http: sandbox.http)
      try await core.shell.initialize()
      return core
    }
    let seed = UInt64.random(in: 0..<1_000_000)
    print("kill -9 at random moments: seed \(seed)")
    let random = SystemRandom.seeded(seed)

    var core = try await start()
    let did = try await core.shell.signIn()
    let phases = ["preparing", "uploading", "committing", "published"]
    for round in 0..<9 {
      let draft = try await core.shell.draft(photos, title: "Round \(round)")
      try await core.shell.call("gallery.publish", ["draft": .string(draft)])
      if round < phases.count {
        // Phases may pass unseen, so a later one counts as well.
        let reached = Set(phases[round...].map(JSONValue.string))
        try await core.shell.wait(draft, phases[round]) { state in
          state["phase"].map(reached.contains) ?? false
        }
      } else {
        try await Task.sleep(for: .milliseconds(random.integer(below: 250)))
      }
      try await core.kill()
      core = try await start()
      try await core.shell.finish(draft, photos: 3)
      let repository = try await sandbox.repository(did)
      repository.expect(galleries: round + 1, photos: 3)
    }
    try await core.end()
    try await sandbox.stop()
  }
}

extension Shell {
  /// What happens after a crash: the core goes on with a publish that was begun; one that was not is
  /// published by the person.
  fileprivate func finish(_ draft: String, photos: Int) async throws {
    try await wait("accounts", "restored") { $0["session"] == "signedIn" }
    let drafts = try await read("drafts")
    guard let offered = drafts["draft"]?[draft] else { return }
    #expect(offered["photoCount"] == JSONValue(photos))
    if offered["resumable"] == true {
      try await wait("drafts", "finished") { $0["draft"]?[draft] == nil }
      return
    }
    try await open(draft)
    let ending = try await publish(draft)
    #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
  }
}
