import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("Publishing over a bad network", .serialized)
struct PublishingFaultTests {
  /// Trouble that a publish gets over by itself.
  struct Trouble: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: SandboxFault
    let path: String
    /// Requests that pass before it happens.
    var after = 0
    var times = 1

    static let all = [
      Trouble(
        testDescription: "the answer to the commit is lost (G108)", fault: .lostAnswer,
        path: Path.applyWrites),
      Trouble(
        testDescription: "the answer to the commit breaks off", fault: .truncatedAnswer,
        path: Path.applyWrites),
      Trouble(
        testDescription: "the commit does not reach the server", fault: .dropBeforeProcessing,
        path: Path.applyWrites, times: 2),
      Trouble(
        testDescription: "the commit meets a fault of the server", fault: .status(500),
        path: Path.applyWrites, times: 2),
      Trouble(
        testDescription: "the connection drops at the second upload (FB-D10)",
        fault: .dropBeforeProcessing, path: Path.uploadBlob, after: 1),
      Trouble(
        testDescription: "the answer to an upload is lost", fault: .lostAnswer,
        path: Path.uploadBlob),
      Trouble(
        testDescription: "the server is out of order at an upload", fault: .status(503),
        path: Path.uploadBlob, times: 3),
      Trouble(
        testDescription: "a proxy answers with a page", fault: .html502, path: Path.uploadBlob),
      Trouble(
        testDescription: "the server asks for a pause", fault: .status(429, retryAfter: 7),
        path: Path.uploadBlob, after: 1),
      Trouble(
        testDescription: "the AppView cannot be told (G50)", fault: .status(500),
        path: Path.indexRecords, times: 50),
      Trouble(
        testDescription: "the AppView's answer is lost (G50)", fault: .lostAnswer,
        path: Path.indexRecords, times: 50),
    ]
  }

  @Test("ends in exactly one whole gallery all the same", arguments: Trouble.all)
  func overcome(_ trouble: Trouble) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let draft = try await core.shell.draft(try world.samplePhotos())
      await world.network.faults.add(
        trouble.fault, on: .pds(trouble.path), times: trouble.times, after: trouble.after)
      let ending = try await world.impatiently { try await core.shell.publish(draft) }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      try await world.repository().expect(photos: 3)
      try await core.shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      if case .status(429, _) = trouble.fault {
        #expect(world.clock.pauses.contains { $0 >= .seconds(7) })
      }
      try await core.end()
    }
  }

  /// Trouble that lasts, and what a person is told of it.
  struct LastingTrouble: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: SandboxFault
    let path: String
    var after = 0
    let ending: String

    static let all = [
      LastingTrouble(
        testDescription: "no upload but the first gets through (FB-D10)",
        fault: .dropBeforeProcessing, path: Path.uploadBlob, after: 1,
        ending: "failed gallery.uploadFailed"),
      LastingTrouble(
        testDescription: "the server stays out of order", fault: .status(503),
        path: Path.uploadBlob, after: 2, ending: "failed gallery.uploadFailed"),
      LastingTrouble(
        testDescription: "the server keeps asking for a pause",
        fault: .status(429, retryAfter: 5), path: Path.uploadBlob, after: 1,
        ending: "failed server.rateLimited"),
      LastingTrouble(
        testDescription: "no commit reaches the server", fault: .dropBeforeProcessing,
        path: Path.applyWrites, ending: "failed gallery.commitFailed"),
      LastingTrouble(
        testDescription: "every commit meets a fault of the server", fault: .status(500),
        path: Path.applyWrites, ending: "failed gallery.commitFailed"),
    ]
  }

  @Test(
    "that stays bad, it says so, keeps the draft, and repeats no upload when it continues",
    arguments: LastingTrouble.all)
  func lasting(_ trouble: LastingTrouble) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draft(try world.samplePhotos())
      await world.network.faults.add(
        trouble.fault, on: .pds(trouble.path), times: 100, after: trouble.after)
      let ending = try await world.impatiently { try await shell.publish(draft) }
      #expect(ending.description == trouble.ending)
      #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
      let state = try await shell.wait(draft, "failed") { $0["phase"] == "failed" }
      #expect(state["problem"].map(ScenarioTests.Trouble.init) == ending.problem)
      #expect(state["can"]?.arrayValue?.contains("gallery.retry") == true)
      let drafts = try await shell.wait("drafts", "resumable") {
        $0["draft"]?[draft]?["resumable"] == true
      }
      #expect(drafts["draft"]?[draft]?["photoCount"] == 3)
      try await world.repository().expect(galleries: 0, photos: 0)

      await world.network.faults.clear()
      #expect(try await shell.publish(draft, "gallery.retry").description == "succeeded")
      try await world.repository().expect(photos: 3)
      #expect(world.uploads == 3)
      try await core.end()
    }
  }

  @Test(
    "a commit whose fate is unknown after a restart is asked about first, at the PDS (G100, G108)")
  func unknownFate() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let draft = try await core.shell.draft(try world.samplePhotos())
      // It lands, but neither its answer nor any question about it comes through.
      await world.network.faults.add(.lostAnswer, on: .pds(Path.applyWrites), times: 100)
      await world.network.faults.add(.dropBeforeProcessing, on: .pds(Path.getRecord), times: 100)
      let ending = try await world.impatiently { try await core.shell.publish(draft) }
      #expect(ending.outcome == "failed")
      #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
      // What may be out there is not edited any more.
      #expect(
        try await core.shell.refusal(
          "gallery.setDetails", ["draft": .string(draft), "title": "Other"]
        ).kind == "intent.notAvailable")
      try await core.end()

      await world.network.faults.clear()
      world.network.log.clear()
      let again = try await world.core()
      try await again.shell.wait("drafts", "offered") {
        $0["draft"]?[draft]?["resumable"] == true
      }
      try await again.shell.open(draft)
      #expect(try await again.shell.publish(draft, "gallery.retry").description == "succeeded")
      #expect(world.count("POST", Path.applyWrites) == 0)
      #expect(again.tap.requests.count { $0.url.path() == Path.getRecord } == 1)
      try await world.repository().expect(photos: 3)
      try await again.end()
    }
  }

  @Test(
    "a token that ends between two uploads is refreshed once; the upload is sent again (FB-D15)")
  func expiredToken() async throws {
    try await World.run { (world) async throws -> Void in
      try await world.expireUnannounced()
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      try await core.shell.signIn()
      try world.authorizationFaults.clear()
      let draft = try await core.shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob), after: 1)
      let verdict = try await core.shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the second upload")
      world.network.clockOffset = 61
      world.turnstile.open()
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      #expect(world.count("POST", Path.token, status: 200) == 2)
      #expect(world.uploads == 3)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test("a session that ends between two uploads asks for a sign-in and goes on after it (FB-D15)")
  func endedSession() async throws {
    try await World.run { (world) async throws -> Void in
      try await world.expireUnannounced()
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      let did = try await shell.signIn()
      try world.authorizationFaults.set { switches in
        switches.lifetimes = nil
        switches.tokenMembers = [:]
        switches.refreshRefusals = [.init(error: "invalid_grant")]
      }
      let draft = try await shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob), after: 1)
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the second upload")
      world.network.clockOffset = 61
      world.turnstile.open()
      let ending = try await shell.ending(of: verdict)
      #expect(ending.description == "failed account.sessionExpired")
      #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
      let accounts = try await shell.wait("accounts", "signed out") {
        $0["session"] == "signedOut"
      }
      #expect(accounts["account"]?[did]?["standing"] == "expired")
      #expect(
        accounts["account"]?[did]?["can"]?.arrayValue?.contains("accounts.reauthenticate") == true)
      #expect(accounts["sessionReason"]?["fallback"]?.stringValue?.isEmpty == false)

      shell.browser.approve("alice.test")
      let back = try await shell.call("accounts.reauthenticate", ["account": .string(did)])
      #expect(try await shell.ending(of: back).description == "succeeded")
      try await shell.wait("drafts", "offered") { $0["draft"]?[draft]?["resumable"] == true }
      #expect(try await shell.publish(draft, "gallery.retry").description == "succeeded")
      #expect(world.uploads == 3)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test("cancelled at an upload, the draft stays and continues without repeating one (FB-D10)")
  func cancelled() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob), after: 1)
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the second upload")
      try await shell.call("gallery.cancelPublish", ["draft": .string(draft)])
      // At once: the server still sits on the upload.
      #expect(try await shell.ending(of: verdict).description == "cancelled")
      world.turnstile.open()
      let state = try await shell.wait(draft, "at rest") { $0["phase"] == "editing" }
      #expect(state["problem"] == nil)
      #expect(try await shell.read("drafts")["draft"]?[draft]?["resumable"] == true)
      #expect(world.count("POST", Path.applyWrites) == 0)
      let before = core.tap.uploadedFiles
      #expect(before.count == 2)

      #expect(try await shell.publish(draft, "gallery.retry").description == "succeeded")
      // The one that was up is not sent again; the one that was cut off is.
      let all = core.tap.uploadedFiles
      #expect(all.count { $0 == before[0] } == 1)
      #expect(Set(all).count == 3)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }
}
