import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("What is seen of the post that follows a gallery (FB-D11)", .timeLimit(.minutes(1)))
struct CrossPostSnapshotTests {
  private let uri = "at://did:web:alice.test/social.grain.gallery/3lk2abc222222"
  private let key = "3lk2abc222223"

  /// A screen on which a gallery that is to be posted is being published.
  private struct Scene {
    let world: ModelWorld
    let gallery: GalleryPublishModel
    let screen: SnapshotFollower<GalleryPublishSnapshot>
    let uri: ATURI
  }

  private func publishing() async throws -> Scene {
    let sending = Draft.Sending(
      galleryKey: try RecordKey("3lk2abc222222"), photoKeys: [:], postKey: try RecordKey(key))
    let world = await ModelWorld { galleries in
      galleries.add("lake", of: .alice) { draft in
        draft.fill("Lake", photos: ["p1"])
        draft.crossPost = true
        draft.sending = sending
      }
    }
    let gallery = try await world.models.gallery("lake")
    let screen = SnapshotFollower { gallery.snapshot }
    await screen.expectSnapshots(
      after: { try gallery.publish() },
      {
        $0.status = .busy
        $0.phase = .uploading
        $0.operation = "op-1"
        $0.can = [.galleryCancelPublish]
        $0.photo["p1"]?.step = .uploading
      })
    await screen.expectSnapshots(
      after: { await world.galleries.progress("lake", .committing) },
      {
        $0.phase = .committing
        $0.percent = 100
        $0.photo["p1"]?.step = .ready
      })
    world.galleries.save("lake") { $0.sending?.committed = true }
    let address = try ATURI(uri)
    await screen.expectSnapshots(
      after: { await world.galleries.progress("lake", .crossPost(.pending, gallery: address)) },
      {
        $0.status = .done
        $0.phase = .published
        $0.publishedURI = address.rawValue
        $0.crossPostStatus = .pending
      })
    return Scene(world: world, gallery: gallery, screen: screen, uri: address)
  }

  /// The post lands; the operation ends well and the draft is gone.
  private func post(_ scene: Scene, _ operation: String) async {
    scene.world.galleries.save("lake") { draft in
      draft.sending?.post = Draft.Post()
      draft.sending?.post?.posted = true
    }
    await scene.screen.expectSnapshots(
      after: {
        await scene.world.galleries.progress("lake", .crossPost(.posted, gallery: scene.uri))
      }, { $0.crossPostStatus = .posted })
    await scene.screen.expectSnapshots(
      after: {
        await scene.world.galleries.end("lake", .success(scene.uri))
        #expect(await scene.world.end(of: operation) == .succeeded)
      },
      {
        $0.operation = nil
        $0.can = []
      })
    #expect(scene.world.galleries.draft("lake") == nil)
    #expect(scene.world.models.drafts.snapshot.draft.isEmpty)
  }

  /// The post fails; the gallery stays up, and what is left to do is offered.
  private func fail(
    _ scene: Scene, _ fault: CallFault, _ operation: String, _ outcome: OperationCenter.Outcome
  ) async {
    let problem = Problem(crossPost: fault, account: DID.alice.rawValue)
    await scene.screen.expectSnapshots(
      after: {
        await scene.world.galleries.progress(
          "lake", .crossPost(.failed(fault), gallery: scene.uri))
      },
      {
        $0.crossPostStatus = .failed
        $0.problem = problem
      })
    await scene.screen.expectSnapshots(
      after: {
        await scene.world.galleries.end("lake", .success(scene.uri))
        #expect(await scene.world.end(of: operation) == outcome)
      },
      {
        $0.operation = nil
        $0.can = [.galleryRetry, .galleryRetryCrossPost, .galleryDiscardDraft]
      })
  }

  private func retry(_ scene: Scene, _ operation: String) async {
    await scene.screen.expectSnapshots(
      after: { try scene.gallery.publish(.galleryRetryCrossPost) },
      {
        $0.operation = operation
        $0.can = [.galleryCancelPublish]
        $0.problem = nil
        $0.crossPostStatus = .pending
      })
  }

  @Test("posted: pending, then posted, then nothing is left to do")
  func posted() async throws {
    await post(try await publishing(), "op-1")
  }

  @Test(
    "refused, without an answer, or not allowed: the gallery is up, the reason is said, and the post is retried alone with its own key",
    arguments: [
      CallFault.refused(status: 400, error: "InvalidRequest", message: "no"),
      .remote(.dropped(host: "pds.alice.test")),
      .scopeMissing(.alice, scope: "repo:app.bsky.feed.post?action=create"),
    ])
  func failed(_ fault: CallFault) async throws {
    let scene = try await publishing()
    // The gallery is published whatever becomes of its post.
    await fail(scene, fault, "op-1", .succeeded)
    let problem = Problem(crossPost: fault, account: DID.alice.rawValue)
    await retry(scene, "op-2")
    await fail(scene, fault, "op-2", .failed(problem))
    #expect(scene.world.galleries.draft("lake")?.sending?.postKey?.rawValue == key)
    await retry(scene, "op-3")
    await post(scene, "op-3")
  }

  @Test(
    "stopped: it is not posted, without a word, and not by itself later either",
    arguments: [false, true])
  func stopped(isToldByPublisher: Bool) async throws {
    let scene = try await publishing()
    let lost = CallFault.remote(.dropped(host: "pds.alice.test"))
    await fail(scene, lost, "op-1", .succeeded)
    await retry(scene, "op-2")
    await scene.world.galleries.begun("lake")
    if isToldByPublisher {
      await scene.screen.expectSnapshots(
        after: {
          await scene.world.galleries.progress(
            "lake", .crossPost(.failed(.cancelled), gallery: scene.uri))
        }, { $0.crossPostStatus = .failed })
    }
    await scene.screen.expectSnapshots(
      after: {
        _ = try scene.gallery.cancelPublish()
        if isToldByPublisher { await scene.world.galleries.end("lake", .success(scene.uri)) }
        #expect(await scene.world.end(of: "op-2") == .cancelled)
      },
      {
        $0.operation = nil
        $0.can = [.galleryRetry, .galleryRetryCrossPost, .galleryDiscardDraft]
        $0.crossPostStatus = .failed
      })
    let left = scene.world.galleries.draft("lake")
    #expect(left?.isInterrupted == false)
    #expect(left?.sending?.postKey?.rawValue == key)
    await retry(scene, "op-3")
    await post(scene, "op-3")
  }
}
