import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Publishing a draft")
struct GalleryPublisherTests {
  private let world: DraftWorld
  private var repository: ScriptedRepository { world.repository }

  init() async throws { world = try await DraftWorld() }

  private func address(_ draft: Draft) async throws -> ATURI {
    let key = try #require(try await world.stored(draft.id).sending?.galleryKey)
    return ATURI(DraftWorld.alice, CollectionNames.gallery, key)
  }

  // MARK: The whole way

  @Test(
    "photographs are prepared, uploaded, committed once, told to the AppView; the draft is gone")
  func wholeWay() async throws {
    let draft = try await world.draft(photos: 2)
    let result = await world.publish(draft)
    let gallery = try #require(repository.landed.first { $0.collection == CollectionNames.gallery })
    #expect(result == .success(gallery.uri(in: DraftWorld.alice)))
    #expect(Set(repository.calls.prefix(2)) == [.upload("photo1.image"), .upload("photo2.image")])
    #expect(repository.calls.dropFirst(2) == [.commit, .index(7)])
    #expect(try await world.drafts.draft(draft.id) == nil)
    #expect(!FileManager.default.fileExists(atPath: world.accounts.data.draftFolder(draft.id)))
  }

  @Test("progress is told in order: preparing, uploading, publishing; never backwards")
  func progress() async throws {
    let draft = try await world.draft(photos: 2)
    _ = await world.publish(draft)
    let steps = world.progress.values
    #expect(steps.first == .preparing(done: 0, of: 2))
    #expect(steps.contains(.preparing(done: 1, of: 2)))
    #expect(steps.last == .committing)
    let percents = steps.compactMap(\.percent)
    #expect(percents == percents.sorted())
    #expect(percents.last == 100)
  }

  @Test("the client is asked for by the draft's own account, whoever is active")
  func ownAccount() async throws {
    let asked = Recorder<DID>()
    let repository = repository
    let publisher = world.publisher { did in
      asked.record(did)
      return repository.client
    }
    _ = await world.publish(try await world.draft(photos: 1), with: publisher)
    #expect(asked.values == [DraftWorld.alice])
  }

  @Test(
    "twenty photographs with camera data are 61 records, told to the AppView in 25, 25, 11 (G48)")
  func batches() async throws {
    let draft = try await world.preparedDraft(photos: 20)
    #expect(draft.photos.values.allSatisfy { $0.prepared?.exif != nil })
    _ = await world.publish(draft)
    #expect(repository.indexed.map(\.count) == [25, 25, 11])
    #expect(repository.indexed.flatMap { $0 }.count == Set(repository.landed.map(\.key)).count)
  }

  // MARK: Before anything is sent

  @Test("what breaks a rule is refused before anything is sent")
  func rules() async throws {
    let draft = try await world.draft("", photos: 1)
    #expect(await world.publish(draft) == .failure(.titleMissing))
    let empty = try await world.draft(photos: 0)
    #expect(await world.publish(empty) == .failure(.noPhotos))
    #expect(repository.calls.isEmpty)
    #expect(try await world.stored(draft.id).sending == nil)
  }

  @Test("a picture that cannot be read is named by its number; nothing was sent")
  func unreadable() async throws {
    let draft = try await world.draft(photos: 3)
    try FileManager.default.removeItem(atPath: try #require(draft.photos["photo2"]?.source))
    #expect(
      await world.publish(draft) == .failure(.photo(number: 2, id: "photo2", .unreadable)))
    #expect(repository.calls.isEmpty)
    #expect(try await world.stored(draft.id).photos["photo2"]?.failure == .unreadable)
  }

  @Test("a prepared copy that has gone missing is made again")
  func missingCopy() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try FileManager.default.removeItem(
      atPath: world.drafts.preparedPath(draft.id, file: "photo1.image"))
    #expect(try await world.publish(draft).get() == repository.galleryAddress)
  }

  @Test("an account that must sign in again keeps its draft")
  func noClient() async throws {
    let fault = CallFault.sessionExpired(DraftWorld.alice)
    let publisher = world.publisher { _ async throws(CallFault) in throw fault }
    let draft = try await world.draft(photos: 1)
    #expect(await world.publish(draft, with: publisher) == .failure(.commit(fault)))
    #expect(try await world.drafts.draft(draft.id) != nil)
  }

  @Test("a draft that is gone cannot be published")
  func gone() async throws {
    let draft = try await world.draft(photos: 1)
    try await world.drafts.remove(draft.id)
    #expect(await world.publish(draft) == .failure(.draftUnknown))
  }

  // MARK: Uploads

  @Test(
    "what is uploaded is not uploaded again; in the end there is one gallery, in order (FB-D10)")
  func resumed() async throws {
    let draft = try await world.preparedDraft(photos: 6)
    let lost = CallFault.remote(.dropped(host: "pds.test"))
    repository.onUpload("photo4.image", lost, lost, lost, lost)
    #expect(
      await world.publish(draft) == .failure(.upload(number: 4, id: "photo4", lost)))
    let uploaded = try await world.stored(draft.id).photos.values.filter { $0.blob != nil }.count
    #expect(uploaded >= 3 && uploaded < 6)

    repository.forgetCalls()
    _ = await world.publish(draft)
    #expect(repository.uploads.count == 6 - uploaded)
    let items = repository.landed.filter { $0.collection == CollectionNames.galleryItem }
    #expect(items.map { $0.value["position"]?.intValue } == [0, 1, 2, 3, 4, 5])
    #expect(repository.landed.filter { $0.collection == CollectionNames.gallery }.count == 1)
  }

  @Test("a passing fault is tried four times, after 0.5, 1 and 2 seconds, a quarter more or less")
  func repeated() async throws {
    let fault = CallFault.remote(.server(host: "pds.test", detail: nil))
    repository.onUpload("photo1.image", fault, fault, fault)
    _ = try await world.publish(world.preparedDraft(photos: 1)).get()
    #expect(repository.uploads.count == 4)
    #expect(world.naps.values.count == 3)
    for (nap, base) in zip(world.naps.values, [0.5, 1, 2]) {
      #expect(nap >= .seconds(base * 0.75) && nap <= .seconds(base * 1.25))
    }
  }

  @Test("a refusal is not repeated; what is under way ends, and nothing is committed")
  func refused() async throws {
    let fault = CallFault.refused(status: 413, error: "BlobTooLarge", message: "too big")
    repository.onUpload("photo2.image", fault)
    let draft = try await world.preparedDraft(photos: 3)
    #expect(
      await world.publish(draft) == .failure(.upload(number: 2, id: "photo2", fault)))
    #expect(repository.uploads.filter { $0 == "photo2.image" }.count == 1)
    #expect(!repository.calls.contains(.commit))
    #expect(world.naps.values.isEmpty)
  }

  @Test("a pause the server asks for is kept, but not one of more than a minute")
  func retryAfter() async throws {
    func limited(_ seconds: Int) -> CallFault {
      .remote(.rateLimited(host: "pds.test", retryAfter: .seconds(seconds)))
    }
    repository.onUpload("photo1.image", limited(30), limited(61))
    let draft = try await world.preparedDraft(photos: 1)
    #expect(
      await world.publish(draft) == .failure(.upload(number: 1, id: "photo1", limited(61))))
    #expect(world.naps.values == [.seconds(30)])
  }

  // MARK: A store that fails

  @Test("an upload that cannot be noted stops the publish with the store's fault")
  func checkpointFails() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let gate = repository.hold("photo1.image")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    try world.accounts.execute(
      "CREATE TRIGGER full BEFORE UPDATE ON draft BEGIN SELECT RAISE(ABORT, 'full'); END")
    gate.open()
    #expect(await publishing.value == .failure(.store(.corrupt("full"))))
    #expect(!repository.calls.contains(.commit))
  }

  @Test("a commit is on disk before it is sent")
  func commitNotedFirst() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let drafts = world.drafts
    let noted = Recorder<Int?>()
    repository.beforeCommit {
      noted.record(try? await drafts.draft(draft.id)?.sending?.unansweredCommits)
    }
    _ = await world.publish(draft)
    #expect(noted.values == [1])
  }

  @Test("a commit that cannot be noted first is not sent")
  func commitNotNoted() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try world.accounts.execute(
      """
      CREATE TRIGGER full BEFORE UPDATE ON draft WHEN new.body LIKE '%"unansweredCommits":1%'
      BEGIN SELECT RAISE(ABORT, 'full'); END
      """)
    #expect(await world.publish(draft) == .failure(.store(.corrupt("full"))))
    #expect(!repository.calls.contains(.commit))
  }

  @Test("a draft discarded under the publish stops it before the commit")
  func discarded() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let gate = repository.hold("photo1.image")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    try await world.drafts.remove(draft.id)
    gate.open()
    #expect(await publishing.value == .failure(.draftUnknown))
    #expect(!repository.calls.contains(.commit))
  }

  @Test("a finished draft that cannot be removed is removed by the next run, which sends nothing")
  func finishedButThere() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try world.accounts.execute(
      "CREATE TRIGGER keep BEFORE DELETE ON draft BEGIN SELECT RAISE(ABORT, 'kept'); END")
    let address = try await world.publish(draft).get()
    #expect(try await world.drafts.draft(draft.id) != nil)

    repository.forgetCalls()
    try world.accounts.execute("DROP TRIGGER keep")
    #expect(await world.publish(draft) == .success(address))
    #expect(repository.calls.isEmpty)
    #expect(try await world.drafts.draft(draft.id) == nil)
  }
}

extension ScriptedRepository {
  /// The one gallery that is there.
  var galleryAddress: ATURI? {
    landed.first { $0.collection == CollectionNames.gallery }?.uri(in: DraftWorld.alice)
  }
}
