import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("A gallery from the first photograph to its address", .timeLimit(.minutes(1)))
struct GalleryPublishTests {
  private typealias Follower = SnapshotFollower<GalleryPublishSnapshot>

  private let uri = "at://did:web:alice.test/social.grain.gallery/3lk2abc"
  private let photoIntents: [IntentName] = [.gallerySetAlt, .galleryMovePhoto, .galleryRemovePhoto]
  private var editing: [IntentName] {
    [.galleryAddPhotos, .gallerySetDetails] + photoIntents + [
      .galleryPublish, .galleryDiscardDraft,
    ]
  }

  private func open(
    _ fill: (inout Draft) -> Void
  ) async throws -> (ModelWorld, GalleryPublishModel, Follower) {
    let world = await ModelWorld { $0.add("lake", of: .alice, fill) }
    let gallery = try await world.models.gallery("lake")
    return (world, gallery, SnapshotFollower { gallery.snapshot })
  }

  private func ready(_ draft: inout Draft) { draft.fill("Lake", photos: ["p1", "p2"]) }

  private func photo(_ path: String, _ step: PhotoStep) -> GalleryPublishSnapshot.Photo {
    GalleryPublishSnapshot.Photo(
      media: Media(uri: "file://\(path)"), step: step)
  }

  private func prepared(_ id: String, _ step: PhotoStep = .ready) -> GalleryPublishSnapshot.Photo {
    GalleryPublishSnapshot.Photo(
      media: Media(uri: "file:///data/drafts/lake/\(id).image", width: 4, height: 3), step: step)
  }

  @Test("photographs are added in order and prepared one after the other")
  func adding() async throws {
    let (world, gallery, screen) = try await open { _ in }
    #expect(
      screen.snapshot
        == GalleryPublishSnapshot(
          status: .idle, phase: .editing,
          can: [.galleryAddPhotos, .gallerySetDetails, .galleryPublish, .galleryDiscardDraft],
          includeExif: true, crossPost: false))
    await world.galleries.preparing.shut()
    let accepted = await screen.expectSnapshots(
      after: { try await gallery.addPhotos(["/a b.jpg", "/b.jpg"]) },
      {
        $0.status = .busy
        $0.operation = "op-1"
        $0.can = [.gallerySetDetails] + photoIntents
        $0.photo = [
          "photo-1": photo("/a%20b.jpg", .waiting), "photo-2": photo("/b.jpg", .waiting),
        ]
      }, { $0.photo["photo-1"]?.step = .preparing })
    await screen.expectSnapshots(
      after: { await world.galleries.preparing.open() },
      {
        $0.photo["photo-1"] = prepared("photo-1")
        $0.photo["photo-2"] = photo("/b.jpg", .preparing)
      },
      { $0.photo["photo-2"] = prepared("photo-2") },
      {
        $0.status = .idle
        $0.operation = nil
        $0.can = editing
      })
    #expect(await world.end(of: accepted?.operation) == .succeeded)
  }

  @Test("texts, order and photographs are edited while others are prepared")
  func editingMeanwhile() async throws {
    let (world, gallery, screen) = try await open(ready)
    await world.galleries.preparing.shut()
    let adding = await screen.expectSnapshots(
      after: { try await gallery.addPhotos(["/c.jpg", "/d.jpg"]) },
      {
        $0.status = .busy
        $0.operation = "op-1"
        $0.can = [.gallerySetDetails] + photoIntents
        $0.photo["photo-1"] = photo("/c.jpg", .waiting)
        $0.photo["photo-2"] = photo("/d.jpg", .waiting)
      }, { $0.photo["photo-1"]?.step = .preparing })
    await screen.expectSnapshots(
      after: { try await gallery.setDetails(GalleryDetails(title: "Sea", description: "Waves")) },
      {
        $0.title = "Sea"
        $0.description = "Waves"
      })
    await screen.expectSnapshots(
      after: { try await gallery.setAlt("photo-1", "A wave") },
      { $0.photo["photo-1"]?.alt = "A wave" })
    await screen.expectSnapshots(
      after: { try await gallery.movePhoto("photo-1", before: "p1") },
      { $0.photo.move("photo-1", before: "p1") })
    await screen.expectSnapshots(
      after: { try await gallery.removePhoto("photo-2") }, { $0.photo["photo-2"] = nil })
    await screen.expectRejection(.intentNotAvailable) { try gallery.publish() }
    await screen.expectRejection(.intentNotAvailable) { try await gallery.addPhotos(["/e.jpg"]) }
    await screen.expectSnapshots(
      after: { await world.galleries.preparing.open() },
      {
        $0.photo["photo-1"]?.media = prepared("photo-1").media
        $0.photo["photo-1"]?.step = .ready
      },
      {
        $0.status = .idle
        $0.operation = nil
        $0.can = editing
      })
    #expect(await world.end(of: adding?.operation) == .succeeded)
    #expect(world.galleries.draft("lake")?.photoOrder == ["photo-1", "p1", "p2"])
  }

  @Test("a bad picture is named, the others are prepared, and the draft goes on without it")
  func badPicture() async throws {
    let (world, gallery, screen) = try await open { _ in }
    world.galleries.refuse("/bad.jpg", .damaged)
    let problem = Problem(PhotoFailure.damaged, name: "bad.jpg")
    await world.galleries.preparing.shut()
    let adding = await screen.expectSnapshots(
      after: { try await gallery.addPhotos(["/bad.jpg"]) },
      {
        $0.status = .busy
        $0.operation = "op-1"
        $0.can = [.gallerySetDetails] + photoIntents
        $0.photo["photo-1"] = photo("/bad.jpg", .waiting)
      }, { $0.photo["photo-1"]?.step = .preparing })
    await screen.expectSnapshots(
      after: {
        await world.galleries.preparing.open()
        #expect(await world.end(of: adding?.operation) == .failed(problem))
      },
      {
        $0.photo["photo-1"]?.step = .failed
        $0.photo["photo-1"]?.problem = problem
      },
      {
        $0.status = .idle
        $0.operation = nil
        $0.can = editing
        $0.problem = problem
      })
    await screen.expectSnapshots(
      after: { try await gallery.removePhoto("photo-1") },
      {
        $0.photo = [:]
        $0.problem = nil
        $0.can = [.galleryAddPhotos, .gallerySetDetails, .galleryPublish, .galleryDiscardDraft]
      })
  }

  @Test("publishing shows how far it is, and ends with the gallery's address")
  func publishing() async throws {
    let (world, gallery, screen) = try await open(ready)
    let sending = await screen.expectSnapshots(
      after: { try gallery.publish() },
      {
        $0.status = .busy
        $0.phase = .uploading
        $0.operation = "op-1"
        $0.can = [.galleryCancelPublish]
        $0.photo["p1"]?.step = .uploading
        $0.photo["p2"]?.step = .uploading
      })
    await screen.expectSnapshots(
      after: {
        await world.galleries.progress(
          "lake", .uploading(done: 1, of: 2, sentBytes: 100, totalBytes: 200))
      }, { $0.percent = 75 })
    await screen.expectSnapshots(
      after: { await world.galleries.progress("lake", .committing) },
      {
        $0.phase = .committing
        $0.percent = 100
        $0.photo["p1"]?.step = .ready
        $0.photo["p2"]?.step = .ready
      })
    await screen.expectSnapshots(
      after: {
        await world.galleries.end("lake", .success(try ATURI(uri)))
        #expect(await world.end(of: sending?.operation) == .succeeded)
      },
      {
        $0.status = .done
        $0.phase = .published
        $0.operation = nil
        $0.can = []
        $0.publishedURI = uri
      })
    await screen.expectRejection(.intentNotAvailable) { try await gallery.discard() }
  }

  @Test(
    "a publish that fails says why, keeps the draft, and can be repeated",
    arguments: [
      PublishError.upload(number: 1, id: "p1", .remote(.offline)),
      .commit(.refused(status: 400, error: "InvalidRequest", message: "no")),
      .commit(.sessionExpired(.alice)), .photo(number: 2, id: "p2", .unreadable), .store(.full),
    ])
  func failing(_ error: PublishError) async throws {
    let (world, gallery, screen) = try await open(ready)
    let problem = Problem(
      error, name: { "\($0).jpg" }, account: DID.alice.rawValue)
    let sending = await screen.expectSnapshots(
      after: { try gallery.publish() },
      {
        $0.status = .busy
        $0.phase = .uploading
        $0.operation = "op-1"
        $0.can = [.galleryCancelPublish]
        $0.photo["p1"]?.step = .uploading
        $0.photo["p2"]?.step = .uploading
      })
    await screen.expectSnapshots(
      after: {
        await world.galleries.end("lake", .failure(error))
        #expect(await world.end(of: sending?.operation) == .failed(problem))
      },
      {
        $0.status = .failed
        $0.phase = .failed
        $0.operation = nil
        $0.can = editing
        $0.problem = problem
        $0.photo["p1"]?.step = .ready
        $0.photo["p2"]?.step = .ready
      })
    #expect(world.galleries.draft("lake")?.title == "Lake")
    await screen.expectSnapshots(
      after: { try gallery.publish() },
      {
        $0.status = .busy
        $0.phase = .uploading
        $0.operation = "op-2"
        $0.can = [.galleryCancelPublish]
        $0.problem = nil
        $0.photo["p1"]?.step = .uploading
        $0.photo["p2"]?.step = .uploading
      })
    await world.galleries.end("lake", .failure(.cancelled))
    _ = await world.end(of: "op-2")
    await screen.expectSnapshots(
      after: {},
      {
        $0.status = .idle
        $0.phase = .editing
        $0.operation = nil
        $0.can = editing
        $0.photo["p1"]?.step = .ready
        $0.photo["p2"]?.step = .ready
      })
  }

  @Test("who stops a publish gets the draft back, set aside until it is told to go on")
  func stopping() async throws {
    let (world, gallery, screen) = try await open { draft in
      ready(&draft)
      draft.sending = .known
    }
    let interrupted =
      [.galleryAddPhotos, .gallerySetDetails] + photoIntents + [
        .galleryPublish, .galleryRetry, .galleryDiscardDraft,
      ]
    #expect(screen.snapshot.can == interrupted)
    await screen.expectSnapshots(
      after: { try gallery.publish(.galleryRetry) },
      {
        $0.status = .busy
        $0.phase = .uploading
        $0.operation = "op-1"
        $0.can = [.galleryCancelPublish]
        $0.photo["p1"]?.step = .uploading
        $0.photo["p2"]?.step = .uploading
      })
    await world.galleries.begun("lake")
    await screen.expectSnapshots(
      after: {
        _ = try gallery.cancelPublish()
        #expect(await world.end(of: "op-1") == .cancelled)
      },
      {
        $0.status = .idle
        $0.phase = .editing
        $0.operation = nil
        $0.can = interrupted
        $0.photo["p1"]?.step = .ready
        $0.photo["p2"]?.step = .ready
      })
    #expect(world.galleries.draft("lake")?.sending?.isSetAside == true)
    #expect(world.galleries.draft("lake")?.isInterrupted == false)
  }

  @Test("what is missing is said before anything is sent")
  func rules() async throws {
    let (_, empty, screen) = try await open { _ in }
    await screen.expectRejection(.galleryNoPhotos) { try empty.publish() }
    let (_, untitled, second) = try await open { $0.fill("  ", photos: ["p1"]) }
    await second.expectRejection(.galleryTitleMissing) { try untitled.publish() }
  }

  @Test("an edit that cannot be saved changes nothing")
  func disk() async throws {
    let (world, gallery, screen) = try await open(ready)
    world.galleries.fail(.change, with: .full)
    await screen.expectRejection(.storeFull) {
      try await gallery.setDetails(GalleryDetails(title: "Sea"))
    }
    #expect(world.galleries.draft("lake")?.title == "Lake")
  }
}
