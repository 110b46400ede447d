import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// What happens to the time while a request is at its server.
struct ClockJump: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Seconds by which this computer's clock moves.
  let ours: TimeInterval
  /// Seconds by which the servers' clocks move.
  var theirs: TimeInterval = 0

  static let all = [
    ClockJump(testDescription: "our clock is set back an hour", ours: -3600),
    ClockJump(testDescription: "our clock is set forward an hour", ours: 3600),
    ClockJump(testDescription: "eight hours asleep", ours: 8 * 3600, theirs: 8 * 3600),
    ClockJump(
      testDescription: "eight hours asleep, and our clock lost an hour", ours: 7 * 3600,
      theirs: 8 * 3600),
  ]
}

/// Whatever the clock does in the middle of publishing, the repository ends with one whole gallery and one
/// post; until then there is none, and the draft is there.
@Suite("Clocks that jump while a gallery is published", .serialized)
struct ClockDrillTests {
  /// The uploads, the commit and the post: each is at the server when the clock jumps.
  private static let moments = [1, 3, 5]

  @Test(
    "the time is learnt from the server, and nothing is lost or doubled (A44, FB-D12, FB-D15)",
    arguments: ClockJump.all, moments)
  func jump(_ jump: ClockJump, _ moment: Int) async throws {
    try await drill(jump, moment, connectionSurvives: true)
  }

  @Test(
    "nor where the connection does not outlive the jump (A44, FB-D10, FB-D15)",
    arguments: ClockJump.all)
  func jumpWithoutConnection(_ jump: ClockJump) async throws {
    try await drill(jump, 3, connectionSurvives: false)
  }

  private func drill(
    _ jump: ClockJump, _ moment: Int, connectionSurvives: Bool
  ) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      let posts = SandboxFaults.Match(server: "pds", method: "POST", pathPrefix: "/xrpc/")
      await world.network.faults.add(.delay(.zero), on: posts, after: moment)
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("request \(moment)")
      world.clock.ahead = jump.ours
      world.network.clockOffset = jump.theirs
      if !connectionSurvives { await world.network.faults.add(.lostAnswer, on: posts) }
      world.turnstile.open()
      var ending = try await world.impatiently { try await shell.ending(of: verdict) }
      if ending.description != "succeeded" {
        #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
        #expect(try await shell.read("drafts")["draft"]?[draft]?["photoCount"] == 3)
        let so = try await world.repository()
        #expect(so.galleries.count <= 1)
        ending = try await world.impatiently { try await shell.publish(draft, "gallery.retry") }
      }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      try await shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }

      // The next gallery's keys are newer all the same.
      let next = try await shell.draft(try world.samplePhotos(), title: "After it")
      #expect(try await shell.publish(next).description == "succeeded")
      let repository = try await world.repository()
      repository.expect(galleries: 2, photos: 3)
      #expect(repository.posts.count == 1)
      let photos = repository.all(CollectionNames.photo).map(\.uri).sorted()
      #expect(Set(photos).count == 6)
      for uri in photos { _ = try TID(try #require(try ATURI(uri).recordKey).rawValue) }
      let titles = repository.galleries.sorted { $0.uri < $1.uri }.map(\.title)
      #expect(titles == ["A walk", "After it"])
      try await core.end()
    }
  }
}
