import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport

/// One draft: pictures are prepared and sent only when a step says so.
@MainActor
final class GalleryStage: Stage {
  let world: ModelWorld
  let gallery: GalleryPublishModel
  /// Whether the draft was discarded: nobody has the model any more.
  private var isGone = false

  init(_ fill: (inout Draft) -> Void) async throws {
    world = await ModelWorld { $0.add("lake", of: .alice, fill) }
    gallery = try await world.models.gallery("lake")
    await world.galleries.preparing.shut()
  }

  var fingerprint: String {
    if isGone { return "gone" }
    let state = gallery.snapshot
    let steps = Set(state.photo.map { "\($0.value.step)" }).sorted()
    return "\(state.phase) \(state.status) \(state.can.map(\.rawValue)) \(steps) "
      + "\(world.models.drafts.snapshot.can.map(\.rawValue)) \(state.problem == nil)"
  }

  // MARK: What happens

  static var events: [Step<GalleryStage>] {
    [
      Step(name: "prepared") { stage in
        guard let operation = stage.gallery.snapshot.operation,
          !stage.gallery.snapshot.can.contains(.galleryCancelPublish)
        else { return false }
        await stage.world.galleries.preparing.open()
        _ = await stage.world.end(of: operation)
        await stage.world.galleries.preparing.shut()
        await settle()
        return true
      },
      sending("uploading") {
        await $0.progress("lake", .uploading(done: 0, of: 1, sentBytes: 10, totalBytes: 100))
      },
      sending("committing") { await $0.progress("lake", .committing) },
      ending("offline", .failure(.commit(.remote(.offline)))),
      ending("published", .success("at://did:web:alice.test/social.grain.gallery/3lk2abc")),
    ]
  }

  private static func sending(
    _ name: String, _ act: @escaping @MainActor (ScriptedGalleries) async -> Void
  ) -> Step<GalleryStage> {
    Step(name: name) { stage in
      guard stage.gallery.snapshot.can == [.galleryCancelPublish] else { return false }
      await act(stage.world.galleries)
      await settle()
      return true
    }
  }

  private static func ending(
    _ name: String, _ result: Result<String, PublishError>
  ) -> Step<GalleryStage> {
    Step(name: name) { stage in
      guard stage.gallery.snapshot.can == [.galleryCancelPublish],
        let operation = stage.gallery.snapshot.operation
      else { return false }
      switch result {
      case .success(let uri): await stage.world.galleries.end("lake", .success(try ATURI(uri)))
      case .failure(let error): await stage.world.galleries.end("lake", .failure(error))
      }
      _ = await stage.world.end(of: operation)
      await settle()
      return true
    }
  }

  // MARK: What is tried

  static var trials: [Trial<GalleryStage>] {
    [
      Trial(
        name: "gallery.createDraft",
        isListed: { $0.world.models.drafts.snapshot.can.contains(.galleryCreateDraft) },
        send: { stage in
          _ = try await stage.world.models.createDraft()
          return Accepted()
        }),
      trial(.galleryAddPhotos) { stage in
        let accepted = try await stage.gallery.addPhotos(["/photos/new.jpg"])
        await stage.world.galleries.preparing.arrivals()
        return accepted
      },
      trial(.gallerySetDetails) { stage in
        try await stage.gallery.setDetails(GalleryDetails(title: "Lake"))
      },
      trial(.gallerySetAlt) { try await $0.gallery.setAlt($0.photo, "A lake") },
      trial(.galleryMovePhoto) { try await $0.gallery.movePhoto($0.photo, before: nil) },
      trial(.galleryRemovePhoto) { try await $0.gallery.removePhoto($0.photo) },
      trial(.galleryPublish) { try await $0.publish(.galleryPublish) },
      trial(.galleryRetry) { try await $0.publish(.galleryRetry) },
      trial(.galleryRetryCrossPost) { try await $0.publish(.galleryRetryCrossPost) },
      trial(.galleryCancelPublish) { stage in
        let operation = stage.gallery.snapshot.operation
        let accepted = try stage.gallery.cancelPublish()
        _ = await stage.world.end(of: operation)
        return accepted
      },
      trial(.galleryDiscardDraft) { stage in
        let accepted = try await stage.gallery.discard()
        stage.isGone = true
        return accepted
      },
    ]
  }

  private var photo: String { gallery.snapshot.photo.order.first ?? "p1" }

  private func publish(_ intent: IntentName) async throws -> Accepted {
    let accepted = try gallery.publish(intent)
    await world.galleries.begun("lake")
    return accepted
  }

  private static func trial(
    _ intent: IntentName, _ send: @escaping @MainActor (GalleryStage) async throws -> Accepted
  ) -> Trial<GalleryStage> {
    Trial(
      name: intent.rawValue,
      isListed: { $0.isGone ? nil : $0.gallery.snapshot.can.contains(intent) },
      send: { stage in
        let accepted = try await send(stage)
        await settle()
        return accepted
      })
  }
}
