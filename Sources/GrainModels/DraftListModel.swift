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
  /// Rises when a draft may have changed: an answer to an older question is asked again.
  @ObservationIgnored private var changes = 0

  /// The drafts of one account, read and not yet shown.
  package struct Reading {
    fileprivate let owner: DID?
    fileprivate let drafts: Result<[Draft], StoreFault>
  }

  /// An empty list that belongs to nobody yet.
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

  /// Reads the list again, after a draft has changed.
  package func reload() async {
    changes += 1
    let reading = await read(owner)
    // Somebody else may be shown by now.
    if reading.owner == owner { show(reading) }
  }

  /// Reads an account's drafts, as they are when this returns.
  package func read(_ account: DID?) async -> Reading {
    guard let account else { return Reading(owner: nil, drafts: .success([])) }
    while true {
      let asked = changes
      let reading: Reading
      do throws(StoreFault) {
        reading = Reading(owner: account, drafts: .success(try await galleries.drafts(account)))
      } catch {
        reading = Reading(owner: account, drafts: .failure(error))
      }
      if asked == changes { return reading }
    }
  }

  /// Shows what was read, and nothing of anybody else's.
  package func show(_ reading: Reading) {
    switch reading.drafts {
    case .success(let found):
      drafts = found
      problem = nil
    case .failure(let fault):
      if reading.owner != owner { drafts = [] }
      problem = Problem(fault)
    }
    owner = reading.owner
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
