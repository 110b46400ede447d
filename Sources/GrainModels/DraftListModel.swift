package import ATSyntax
package import GrainServices
package import GrainSnapshots
import Observation

/// The drafts of the active account; those of others are hidden.
@MainActor
@Observable
package final class DraftListModel {
  private var drafts: [Draft] = []
  private var problem: Problem?
  private var owner: DID?

  @ObservationIgnored private let galleries: GalleryDoor
  @ObservationIgnored private var generation = 0

  package init(galleries: GalleryDoor) {
    self.galleries = galleries
  }

  /// The whole list.
  package var snapshot: DraftListSnapshot {
    var list = OrderedMap<DraftListSnapshot.Draft>()
    for draft in drafts {
      list[draft.id] = DraftListSnapshot.Draft(
        kind: .gallery, title: draft.title, photoCount: draft.photoOrder.count,
        updatedAt: draft.updatedAt.rawValue, resumable: draft.sending != nil)
    }
    return DraftListSnapshot(
      status: problem == nil ? .idle : .failed, phase: .ready,
      can: owner == nil ? [] : [.galleryCreateDraft], problem: problem, draft: list)
  }

  /// The account new drafts belong to.
  package var active: DID? { owner }

  /// Shows another account's drafts; at once none of the old one's.
  package func show(_ account: DID?) async {
    guard owner != account else { return }
    owner = account
    drafts = []
    await reload()
  }

  /// Reads the list again.
  package func reload() async {
    generation += 1
    let asked = generation
    guard let owner else {
      drafts = []
      return
    }
    do throws(StoreFault) {
      let found = try await galleries.drafts(owner)
      // Somebody else may be shown by now, or a later answer may have come first.
      guard asked == generation, self.owner == owner else { return }
      drafts = found
      problem = nil
    } catch {
      problem = Problem(error)
    }
  }

  /// Makes an empty draft.
  ///
  /// - Returns: the draft; it is on disk.
  package func create() async throws(IntentRejection) -> Draft {
    guard let owner else { throw .notAvailable(.galleryCreateDraft, phase: "ready") }
    do throws(StoreFault) {
      let draft = try await galleries.create(owner)
      await reload()
      return draft
    } catch {
      throw IntentRejection(Problem(error))
    }
  }
}
