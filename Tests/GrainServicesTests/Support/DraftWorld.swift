import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import SystemClients

/// Drafts over a data folder of one test, pictures to put into them, and a clock whose sleeps are
/// over at once and noted.
final class DraftWorld: Sendable {
  static let alice = AccountsWorld.alice

  let naps = Recorder<Duration>()
  let pictures: PictureFolder
  let accounts: AccountsWorld
  let workshop: PhotoWorkshop
  let repository = ScriptedRepository()
  let progress = Recorder<PublishProgress>()
  var drafts: DraftStore { accounts.drafts }
  var clock: TestClock { accounts.clock }

  init() async throws {
    pictures = try PictureFolder()
    accounts = try await AccountsWorld()
    workshop = PhotoWorkshop(drafts: accounts.drafts, preparer: ImagePreparer(resizers: []))
  }

  /// The pauses of real work, over at once.
  var quick: SystemClock {
    let (clock, naps) = (clock, naps)
    return SystemClock(
      now: { clock.now },
      sleep: { duration in
        naps.record(duration)
        try Task.checkCancellation()
      })
  }

  func publisher(
    clock: SystemClock? = nil, limits: CoreConfiguration.PublishLimits = .init(),
    mentions: MentionResolver = .none, clients: GalleryPublisher.Clients? = nil
  ) -> GalleryPublisher {
    let repository = repository
    return GalleryPublisher(
      drafts: drafts, workshop: workshop, clients: clients ?? { _ in repository.client },
      mentions: mentions, limits: limits, clock: clock ?? quick, random: .seeded(1), log: .silent)
  }

  /// A draft of so many photographs, ready to be published but for their preparation.
  func draft(_ title: String = "Harbour", photos count: Int) async throws -> Draft {
    let draft = try await drafts.create(repo: Self.alice)
    var sources: [(id: String, path: String)] = []
    for number in 1...max(1, count) where number <= count {
      let id = "photo\(number)"
      sources.append((id, try pictures.write(PictureSamples.jpeg(), to: "\(draft.id)-\(id).jpg")))
    }
    let chosen = sources
    return try await change(draft.id) { draft in
      draft.title = title
      for (id, path) in chosen {
        draft.photos[id] = DraftPhoto(id: id, source: path)
        draft.photoOrder.append(id)
      }
    }
  }

  /// The same with all photographs prepared.
  func preparedDraft(_ title: String = "Harbour", photos count: Int) async throws -> Draft {
    let draft = try await draft(title, photos: count)
    for photo in draft.photoOrder { _ = try await workshop.prepare(photo, of: draft.id) }
    return try await stored(draft.id)
  }

  func change(
    _ id: String, _ edit: @escaping @Sendable (inout Draft) -> Void
  ) async throws -> Draft {
    guard let draft = try await drafts.change(id, edit) else { throw Missing() }
    return draft
  }

  func stored(_ id: String) async throws -> Draft {
    guard let draft = try await drafts.draft(id) else { throw Missing() }
    return draft
  }

  /// The drafts that have a folder for pictures, by their ids.
  func folders() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: accounts.data.path + "/drafts"))
  }

  /// The draft a test counted on is not there.
  struct Missing: Error {}

  /// Publishes and says how it came out.
  func publish(
    _ draft: Draft, with publisher: GalleryPublisher? = nil
  ) async -> Result<ATURI, PublishError> {
    let publisher = publisher ?? self.publisher()
    let progress = progress
    do throws(PublishError) {
      return .success(try await publisher.publish(draft.id) { progress.record($0) })
    } catch {
      return .failure(error)
    }
  }
}
