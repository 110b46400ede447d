import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import StrictJSON
import Testing

@Suite("The Bluesky post of a gallery")
struct CrossPostTests {
  private let world: DraftWorld
  private var repository: ScriptedRepository { world.repository }
  private let lost = CallFault.remote(.dropped(host: "pds.test"))
  private let refused = CallFault.refused(status: 400, error: "InvalidRequest", message: "no")

  init() async throws { world = try await DraftWorld() }

  private func draft(photos: Int = 1) async throws -> Draft {
    let draft = try await world.preparedDraft(photos: photos)
    return try await world.change(draft.id) { $0.crossPost = true }
  }

  /// Calls since the uploads.
  private var calls: [ScriptedRepository.Call] {
    repository.calls.filter { if case .upload = $0 { false } else { true } }
  }

  private var posts: [RecordWrite] {
    repository.landed.filter { $0.collection == CollectionNames.blueskyPost }
  }

  /// What was told of the post, last.
  private var told: CrossPostStep? {
    if case .crossPost(let step, _)? = world.progress.values.last { step } else { nil }
  }

  @Test("it follows the gallery, is made once, and is not told to the AppView (G51, G107)")
  func follows() async throws {
    let draft = try await draft(photos: 2)
    _ = try await world.publish(draft).get()
    #expect(calls == [.commit, .index(7), .post])
    #expect(
      repository.indexed.flatMap { $0 }.allSatisfy { uri in
        uri.collection.map(CollectionNames.isIndexed) == true
      })
    #expect(told == .posted)
    #expect(try await world.drafts.draft(draft.id) == nil)
  }

  @Test("it shows the first four photographs with their words and leads to the gallery (FB-D13)")
  func record() async throws {
    let draft = try await draft(photos: 7)
    _ = try await world.change(draft.id) { draft in
      draft.labels = ["nudity"]
      draft.description = "At sea, #dawn"
      for (index, photo) in draft.photoOrder.enumerated() {
        draft.photos[photo]?.alt = "view \(index)"
      }
    }
    let gallery = try await world.publish(draft).get()
    let post = try #require(posts.first?.value)
    let images = post["embed"]?["images"]?.arrayValue ?? []
    #expect(
      images.compactMap { $0["alt"]?.stringValue } == ["view 0", "view 1", "view 2", "view 3"])
    #expect(images.allSatisfy { $0["aspectRatio"]?["width"] != nil })
    #expect(post["createdAt"] == .string(draft.createdAt.rawValue))
    #expect(post["tags"] == ["grainsocial"])
    #expect(post["labels"]?["values"] == [["val": "nudity"]])
    let key = try #require(gallery.recordKey)
    #expect(
      post["text"]
        == .string(
          "Harbour, At sea, #dawn\n\n"
            + "#GrainSocial https://grain.social/profile/\(DraftWorld.alice)/gallery/\(key)"))
    #expect(post["facets"]?.arrayValue?.count == 3)
  }

  @Test("a post that fails leaves the gallery published and the draft to post from (FB-D11)")
  func failed() async throws {
    repository.onPost(.fails(refused))
    let draft = try await draft()
    let address = try await world.publish(draft).get()
    #expect(told == .failed(refused))
    #expect(calls == [.commit, .index(4), .post, .checkPost])
    #expect(try await world.stored(draft.id).owesPost)

    repository.forgetCalls()
    #expect(await world.publish(draft) == .success(address))
    #expect(repository.calls == [.post])
    #expect(told == .posted)
    #expect(try await world.drafts.draft(draft.id) == nil)
  }

  @Test("a lost answer is asked about; what is there is not posted again (FB-D11)")
  func landedUnheard() async throws {
    repository.onPost(.landsUnheard(lost))
    _ = try await world.publish(draft()).get()
    #expect(calls.suffix(2) == [.post, .checkPost])
    #expect(told == .posted)
    #expect(posts.count == 1)
  }

  @Test("what cannot be asked about is asked first by the next run, which keeps the key (FB-D11)")
  func nextRun() async throws {
    repository.onPostCheck(lost, lost, lost, lost)
    repository.onPost(.landsUnheard(lost), .fails(lost), .fails(lost), .fails(lost))
    let draft = try await draft()
    _ = try await world.publish(draft).get()
    #expect(repository.calls.filter { $0 == .post }.count == 4)
    #expect(try await world.stored(draft.id).sending?.post?.unanswered == 4)

    repository.forgetCalls()
    _ = try await world.publish(draft).get()
    #expect(repository.calls == [.checkPost])
    #expect(Set(repository.writes.suffix(4).map { $0.map(\.key) }).count == 1)
    #expect(posts.count == 1)
  }

  @Test("it is on disk before it is sent")
  func notedFirst() async throws {
    let draft = try await draft()
    let gate = repository.hold("post")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    let stored = try await world.stored(draft.id)
    #expect(stored.sending?.committed == true)
    #expect(stored.sending?.post?.unanswered == 1)
    gate.open()
    _ = await publishing.value
  }

  @Test("stopping while it is sent leaves the gallery up and the post owed")
  func stopped() async throws {
    repository.onPost(.fails(lost), .fails(lost))
    let draft = try await draft()
    let gate = repository.hold("post")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    publishing.cancel()
    gate.open()
    #expect(await publishing.value == .success(try #require(repository.galleryAddress)))
    #expect(told == .failed(lost))
    #expect(repository.calls.filter { $0 == .post }.count == 1)
    #expect(try await world.stored(draft.id).owesPost)
  }

  // MARK: Mentions

  @Test("handles are looked up once, for gallery and post alike, whoever fails (FB-D4)")
  func mentions() async throws {
    let asked = Recorder<[Handle]>()
    let resolver = MentionResolver { handles in
      asked.record(handles)
      return handles.first.map { [$0: DraftWorld.alice] } ?? [:]
    }
    let draft = try await draft()
    _ = try await world.change(draft.id) {
      $0.title = "By @alice.test and @bob.test"
      $0.description = "With @alice.test, @nobody.test"
    }
    repository.onCommit(.fails(lost))
    repository.onPost(.fails(lost))
    _ = try await world.publish(draft, with: world.publisher(mentions: resolver)).get()
    #expect(asked.values.map { $0.map(\.rawValue) } == [["alice.test", "nobody.test", "bob.test"]])
    let gallery = repository.landed.first { $0.collection == CollectionNames.gallery }
    #expect(gallery?.value["facets"]?.arrayValue?.count == 1)
    #expect(posts.first?.value["facets"]?.arrayValue?.count == 4)
    #expect(repository.writes[0] == repository.writes[1])
  }

  @Test("a look-up that a stop has cut off is done again by the next run (FB-D4)")
  func lookUpCutOff() async throws {
    let gate = Gate()
    let resolver = MentionResolver { handles in
      await gate.pass()
      return Task.isCancelled ? [:] : handles.first.map { [$0: DraftWorld.alice] } ?? [:]
    }
    repository.onPost(.fails(refused))
    let draft = try await draft()
    let address = try await world.publish(draft).get()
    _ = try await world.change(draft.id) {
      $0.title = "By @alice.test"
      $0.sending?.mentions = nil
    }
    let publisher = world.publisher(mentions: resolver)
    let posting = Task { await world.publish(draft, with: publisher) }
    await gate.arrivals(atLeast: 1)
    posting.cancel()
    gate.open()
    #expect(await posting.value == .success(address))
    #expect(told == .failed(.cancelled))
    #expect(posts.isEmpty)
    _ = try await world.publish(draft, with: publisher).get()
    #expect(posts.first?.value["facets"]?.arrayValue?.count == 3)
  }

  @Test("each handle is one request; one that does not resolve or takes too long is none (FB-D4)")
  func resolver() async throws {
    let network = ScriptedHTTP(answering: { request in
      switch request.url.query() {
      case "handle=alice.test": .json(#"{"did":"\#(DraftWorld.alice)"}"#)
      case "handle=slow.test": .failure(.timeout)
      default: .json(#"{"error":"InvalidRequest","message":"no"}"#, status: 400)
      }
    })
    let resolver = MentionResolver.live(
      service: "https://resolver.test", http: network.client, allowTestHandles: true)
    let names = ["nobody.invalid", "alice.test", "slow.test", "gone.test"]
    let found = await resolver.resolve(try names.map { try Handle($0) })
    #expect(found == [try Handle("alice.test"): DraftWorld.alice])
    #expect(network.requests.count == 3)
    #expect(network.requests.allSatisfy { $0.deadline <= MentionResolver.patience })
  }
}
