import ATSyntax
import GrainLexicon
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("The one commit")
struct CommitTests {
  private let world: DraftWorld
  private var repository: ScriptedRepository { world.repository }
  private let lost = CallFault.remote(.dropped(host: "pds.test"))
  private let refused = CallFault.refused(status: 400, error: "InvalidRequest", message: "no")

  init() async throws { world = try await DraftWorld() }

  /// Calls since the uploads.
  private var calls: [ScriptedRepository.Call] {
    repository.calls.filter { if case .upload = $0 { false } else { true } }
  }

  @Test("an answer that was lost is asked for, and what landed is not sent again (G108)")
  func landedUnheard() async throws {
    repository.onCommit(.landsUnheard(lost))
    let draft = try await world.preparedDraft(photos: 2)
    #expect(await world.publish(draft) == .success(try #require(repository.galleryAddress)))
    #expect(calls == [.commit, .check, .index(7)])
  }

  @Test("a 500 for a repeat of what has landed is success after the check (G108)")
  func repeatedButLanded() async throws {
    let fault = CallFault.remote(.server(host: "pds.test", detail: nil))
    repository.onCheck(lost)
    repository.onCommit(.landsUnheard(lost), .fails(fault))
    _ = try await world.publish(world.preparedDraft(photos: 1)).get()
    #expect(calls == [.commit, .check, .commit, .check, .index(4)])
  }

  @Test("what did not land is sent again with the same keys, after a pause")
  func repeated() async throws {
    repository.onCommit(.fails(lost))
    _ = try await world.publish(world.preparedDraft(photos: 2)).get()
    #expect(calls == [.commit, .check, .commit, .index(7)])
    #expect(repository.writes.count == 2 && repository.writes[0] == repository.writes[1])
    #expect(world.naps.values.count == 1)
  }

  @Test("after four commits the run stops; the next one asks the server before it sends")
  func fourTimes() async throws {
    repository.onCommit(.fails(lost), .fails(lost), .fails(lost), .fails(lost))
    let draft = try await world.preparedDraft(photos: 1)
    #expect(await world.publish(draft) == .failure(.commit(lost)))
    #expect(calls == [.commit, .check, .commit, .check, .commit, .check, .commit, .check])
    #expect(try await world.stored(draft.id).sending?.unansweredCommits == 4)

    repository.forgetCalls()
    _ = try await world.publish(draft).get()
    #expect(repository.calls == [.check, .commit, .index(4)])
    #expect(Set(repository.writes.map { $0.map(\.key) }).count == 1)
  }

  @Test("a crash between the commit and its answer costs one question")
  func crashedAfterLanding() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    repository.onCommit(.landsUnheard(lost))
    repository.onCheck(lost, lost, lost, lost, lost)
    repository.onCommit(
      .landsUnheard(lost), .fails(lost), .fails(lost), .fails(lost))
    #expect(await world.publish(draft) == .failure(.commit(lost)))
    let address = repository.galleryAddress

    repository.forgetCalls()
    repository.onCheck()
    #expect(await world.publish(draft) == .success(try #require(address)))
    #expect(repository.calls == [.check, .index(4)])
  }

  @Test("a refusal is checked, told in its own words, and leaves a draft that can be mended")
  func refusedCommit() async throws {
    repository.onCommit(.fails(refused))
    let draft = try await world.preparedDraft(photos: 1)
    #expect(await world.publish(draft) == .failure(.commit(refused)))
    #expect(calls == [.commit, .check])
    #expect(try await world.stored(draft.id).sending?.unansweredCommits == 0)

    _ = try await world.change(draft.id) { $0.title = "Mended" }
    _ = try await world.publish(draft).get()
    #expect(repository.uploads.count == 1)
    let gallery = repository.landed.first { $0.collection == CollectionNames.gallery }
    #expect(gallery?.value["title"] == "Mended")
  }

  @Test("of several failures the newest of the commit is told")
  func newestFailure() async throws {
    repository.onCommit(.fails(lost), .fails(refused))
    repository.onCheck(.remote(.offline), .remote(.offline))
    let draft = try await world.preparedDraft(photos: 1)
    #expect(await world.publish(draft) == .failure(.commit(refused)))
  }

  @Test("bytes the server has dropped are uploaded once more, and only once")
  func blobsGone() async throws {
    let gone = CallFault.refused(status: 400, error: "BlobNotFound", message: nil)
    repository.onCommit(.fails(gone))
    let draft = try await world.preparedDraft(photos: 2)
    _ = try await world.publish(draft).get()
    #expect(repository.uploads.count == 4)
    #expect(calls == [.commit, .commit, .index(7)])

    repository.forgetCalls()
    repository.onCommit(.fails(gone), .fails(gone))
    let second = try await world.preparedDraft(photos: 1)
    #expect(await world.publish(second) == .failure(.commit(gone)))
    #expect(repository.uploads.count == 2)
    #expect(try await world.stored(second.id).sending?.unansweredCommits == 0)
  }

  @Test("a long pause the server asks for ends the run instead of sitting it out")
  func retryAfter() async throws {
    let fault = CallFault.remote(
      .server(host: "pds.test", detail: nil, retryAfter: .seconds(3600)))
    repository.onCommit(.fails(fault))
    let draft = try await world.preparedDraft(photos: 1)
    #expect(await world.publish(draft) == .failure(.commit(fault)))
    #expect(calls == [.commit, .check])
    #expect(world.naps.values.isEmpty)
  }

  @Test("index calls that fail never fail the gallery (G50)")
  func indexFails() async throws {
    repository.onIndex(lost)
    let draft = try await world.preparedDraft(photos: 1)
    #expect(await world.publish(draft) == .success(try #require(repository.galleryAddress)))
    #expect(try await world.drafts.draft(draft.id) == nil)
  }
}
