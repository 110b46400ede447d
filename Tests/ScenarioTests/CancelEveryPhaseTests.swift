import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// When a request of an operation is held up, while somebody cancels the operation.
struct HeldMoment: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let fault: SandboxFault

  static let all = [
    HeldMoment(testDescription: "before its server looks at it", fault: .delay(.zero)),
    HeldMoment(testDescription: "before its answer is sent", fault: .lateAnswer(.zero)),
  ]
}

/// Every operation that talks to servers is started again and again, each time cancelled while another of
/// its requests is at a server, until it comes to its end before (bridge-protocol §5.1, §14).
@Suite("Cancelled at every request", .serialized)
struct CancelEveryPhaseTests {
  /// One operation that is started until it succeeds.
  private struct Trial {
    let world: World
    let core: CoreSession
    let moment: HeldMoment
    var shell: Shell { core.shell }

    /// - Parameters:
    ///   - atOnce: whether a request is one that nobody has to wait for; after other requests the operation
    ///     may also have succeeded.
    ///   - start: starts the operation.
    ///   - check: what must be so after each that was cancelled.
    /// - Returns: the requests at which it was cancelled.
    /// - Throws: what the scenario throws, or that the operation never came to its end.
    @discardableResult
    func play(
      atOnce: (LoggedRequest) -> Bool = { $0.method == "GET" && $0.server == "pds" },
      start: () async throws -> JSONObject, cancelled check: (LoggedRequest?) async throws -> Void
    ) async throws -> [LoggedRequest] {
      var held: [LoggedRequest] = []
      for number in 0..<60 {
        try await settle()
        world.turnstile.close()
        // The first time nobody waits for anything to be sent.
        await world.network.faults.add(
          moment.fault, on: SandboxFaults.Match(), after: max(0, number - 1))
        let verdict = try await start()
        let operation = try #require(verdict["operation"]?.stringValue)
        var request: LoggedRequest?
        if number > 0 {
          let isOver = try await isOverBeforeArrival(operation)
          request = isOver ? nil : world.network.requests.last { $0.status == 0 }
          if isOver {
            await world.network.faults.clear()
            world.turnstile.open()
            #expect(try await shell.ending(of: verdict).description == "succeeded")
            return held
          }
        }
        let answer = try await shell.call("operations/cancel", ["operation": .string(operation)])
        #expect(answer["cancelling"] == true)
        let mayWait = request.map { !atOnce($0) } ?? false
        if mayWait { world.turnstile.open() }
        let ending = try await shell.ending(of: verdict)
        await world.network.faults.clear()
        world.turnstile.open()
        if let request { held.append(request) }
        if mayWait, ending.description == "succeeded" { return held }
        #expect(
          ending.description == "cancelled",
          "\(request?.description ?? "at once"): \(ending.problem?.description ?? "")")
        try await check(request)
      }
      throw Unexpected("it was cancelled sixty times and never came to its end")
    }

    /// Waits until the operation has ended, or one of its requests is held.
    private func isOverBeforeArrival(_ operation: String) async throws -> Bool {
      let (firsts, first) = AsyncStream.makeStream(of: Bool.self)
      let watchers = [
        Task { [world] in
          await world.turnstile.arrival()
          first.yield(false)
        },
        Task { [shell] in
          // A core that is gone is reported by whoever asks it next.
          _ = try? await shell.client.ending(of: operation)
          first.yield(true)
        },
      ]
      defer { for watcher in watchers { watcher.cancel() } }
      return try await within("a request, or the end") { [world] in
        for await isOver in firsts {
          // Older credentials are given back once nobody waits any more.
          let request = world.network.requests.last { $0.status == 0 }
          if isOver || request?.path != Path.revocation { return isOver }
        }
        return true
      }
    }

    /// What earlier ones have left under way, such as a revocation, is not taken for the next one's.
    private func settle() async throws {
      try await within("the network to be quiet") { [core] in
        var quiet = 0
        while quiet < 200 {
          quiet = core.tap.endedCount == core.tap.requests.count ? quiet + 1 : 0
          await Task.yield()
        }
      }
    }
  }

  @Test(
    "signing in again: the account stays as it was, and what still comes is given back (A46)",
    arguments: HeldMoment.all)
  func reauthenticate(_ moment: HeldMoment) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try world.authorizationFaults.set { switches in
        switches.tokenMembers = ["scope": .string(CrossPostScenarios.scope(of: world))]
      }
      let did = try await shell.signIn()
      try world.authorizationFaults.clear()
      let before = try await shell.wait("accounts", "without a scope") {
        $0["account"]?[did]?["standing"] == "scopeMissing"
      }
      shell.browser.approve("alice.test")
      let held = try await Trial(world: world, core: core, moment: moment).play(
        atOnce: { _ in true },
        start: {
          try await shell.call("accounts.reauthenticate", ["account": .string(did)])
        },
        cancelled: { request in
          #expect(try await shell.read("accounts") == before)
          #expect(try await shell.read("login")["phase"] == "signedIn")
          guard request?.path == Path.token else { return }
          try await within("what still came to be given back") {
            while world.count("POST", Path.revocation, status: 200) == 0 { await Task.yield() }
          }
        })
      let paths = held.map(\.path)
      #expect(paths.contains(Path.pushedRequest) && paths.contains(Path.token), "\(paths)")
      try await shell.wait("accounts", "whole") { $0["account"]?[did]?["standing"] == "ok" }
      // One account, with credentials that work.
      #expect(try await shell.read("accounts")["accountOrder"] == [.string(did)])
      let draft = try await shell.draft(try world.samplePhotos())
      #expect(try await shell.publish(draft).description == "succeeded")
      try await core.end()
    }
  }

  /// A gallery that is up, and the core it was published with.
  private func published(_ world: World) async throws -> (core: CoreSession, gallery: String) {
    let core = try await world.core()
    try await core.shell.signIn()
    let draft = try await core.shell.draft(try world.samplePhotos())
    #expect(try await core.shell.publish(draft).description == "succeeded")
    return (core, try #require(try await world.repository().galleries.first?.uri))
  }

  @Test(
    "opening a gallery to edit it: no draft is left, the gallery is as it was",
    arguments: HeldMoment.all)
  func edit(_ moment: HeldMoment) async throws {
    try await World.run { (world) async throws -> Void in
      let (core, gallery) = try await published(world)
      let shell = core.shell
      let held = try await Trial(world: world, core: core, moment: moment).play(
        start: { try await shell.call("gallery.editPublished", ["gallery": .string(gallery)]) },
        cancelled: { _ in
          #expect(try await shell.read("drafts")["draftOrder"] == [])
          try await world.repository().expect(photos: 3)
        })
      #expect(held.count >= 6, "\(held)")
      let drafts = try await shell.wait("drafts", "opened") {
        $0["draftOrder"]?.arrayValue?.count == 1
      }
      let draft = try #require(drafts["draftOrder"]?.arrayValue?.first?.stringValue)
      try await shell.open(draft)
      try await shell.wait(draft, "read") { $0["photoOrder"]?.arrayValue?.count == 3 }
      try await core.end()
    }
  }

  @Test(
    "publishing the difference: it is not written once it was given up, and written once in the end",
    arguments: HeldMoment.all)
  func difference(_ moment: HeldMoment) async throws {
    try await World.run { (world) async throws -> Void in
      let (core, gallery) = try await published(world)
      let shell = core.shell
      let draft = try await shell.edit(gallery)
      try await shell.call(
        "gallery.setDetails",
        ["draft": .string(draft), "title": "Mended", "description": "With @bob.test"])
      let commits = world.count("POST", Path.applyWrites)
      // Another program's change, so that every record is looked at before.
      try await world.remark(CollectionNames.favorite, by: "alice.test", on: gallery)
      let held = try await Trial(world: world, core: core, moment: moment).play(
        start: { try await shell.call("gallery.publish", ["draft": .string(draft)]) },
        cancelled: { _ in
          #expect(world.count("POST", Path.applyWrites) == commits)
          let (repository, state) = (try await world.repository(), try await shell.state(draft))
          #expect(repository.galleries.first?.title == "A walk")
          #expect(state["title"] == "Mended")
        })
      #expect(held.last?.path == Path.applyWrites, "\(held)")
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.galleries.first?.title == "Mended")
      #expect(world.count("POST", Path.applyWrites, status: 200) == commits + 1)
      // The handle that was being looked up when somebody gave up is a link all the same.
      let head = repository.all(CollectionNames.gallery).first?.value
      #expect(head?["facets"]?.arrayValue?.count == 1)
      try await core.end()
    }
  }

  @Test(
    "deleting a gallery: nothing goes once it was given up, and everything once something was written",
    arguments: HeldMoment.all)
  func delete(_ moment: HeldMoment) async throws {
    try await World.run { (world) async throws -> Void in
      let (core, gallery) = try await published(world)
      let shell = core.shell
      try await world.remark(CollectionNames.favorite, by: "alice.test", on: gallery)
      let held = try await Trial(world: world, core: core, moment: moment).play(
        start: { try await shell.call("gallery.deletePublished", ["gallery": .string(gallery)]) },
        cancelled: { _ in
          let repository = try await world.repository()
          repository.expect(photos: 3)
          #expect(repository.all(CollectionNames.favorite).count == 1)
          #expect(world.count("POST", Path.applyWrites) == 1)
        })
      #expect(held.last?.path == Path.applyWrites, "\(held)")
      let repository = try await world.repository()
      repository.expect(galleries: 0, photos: 0)
      #expect(repository.all(CollectionNames.favorite).isEmpty)
      // What a deletion that was given up later says is true as well: there is nothing left.
      let again = try await shell.call("gallery.deletePublished", ["gallery": .string(gallery)])
      #expect(try await shell.ending(of: again).description == "succeeded")
      try await core.end()
    }
  }

  @Test(
    "retrying a post: the gallery stays up, and there is one post in the end (FB-D11)",
    arguments: HeldMoment.all)
  func retryCrossPost(_ moment: HeldMoment) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(.status(500), on: .pds(Path.createRecord), times: 100)
      #expect(
        try await world.impatiently { try await shell.publish(draft) }.description == "succeeded")
      await world.network.faults.clear()
      let held = try await Trial(world: world, core: core, moment: moment).play(
        start: { try await shell.call("gallery.retryCrossPost", ["draft": .string(draft)]) },
        cancelled: { _ in
          let state = try await shell.wait(draft, "at rest") { $0["operation"] == nil }
          #expect(state["phase"] == "published" && state["crossPostStatus"] == "failed")
          #expect(state["problem"] == nil)
          #expect(state["can"]?.arrayValue?.contains("gallery.retryCrossPost") == true)
          let repository = try await world.repository()
          repository.expect(photos: 3)
          #expect(repository.posts.isEmpty)
        })
      #expect(held.map(\.method) == ["GET", "POST"], "\(held)")
      try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
      try await core.end()
    }
  }

  @Test("a post that was given up is not sent by the next core on its own either")
  func staysGivenUp() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn()
      let draft = try await first.shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(.status(500), on: .pds(Path.createRecord), times: 100)
      #expect(
        try await world.impatiently { try await first.shell.publish(draft) }.description
          == "succeeded")
      await world.network.faults.clear()
      await world.network.faults.add(.delay(.zero), on: .pds(Path.getRecord))
      let verdict = try await first.shell.call(
        "gallery.retryCrossPost", ["draft": .string(draft)])
      try await world.arrival("the question for the post")
      try await first.shell.call("gallery.cancelPublish", ["draft": .string(draft)])
      #expect(try await first.shell.ending(of: verdict).description == "cancelled")
      world.turnstile.open()
      try await first.end()

      let second = try await world.core()
      try await second.shell.open(draft)
      #expect(
        try await second.shell.publish(draft, "gallery.retryCrossPost").description == "succeeded")
      try await second.end()
      let ended = second.shell.traffic.values.filter {
        $0.json["method"] == "operations/ended"
      }
      #expect(ended.count == 1, "it was sent unasked")
      #expect(try await world.repository().posts.count == 1)
    }
  }
}
