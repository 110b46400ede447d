package import ATSyntax
import Foundation
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
  /// What fits into the shell's messages.
  @ObservationIgnored var budget: @MainActor () -> StateBudget = { StateBudget() }
  /// Rises when a draft may have changed: an answer to an older question is asked again.
  @ObservationIgnored private var changes = 0

  /// The drafts of one account, read and not yet shown.
  package struct Reading: Sendable {
    /// Whose they are.
    let owner: DID?
    fileprivate let drafts: Result<[Draft], StoreFault>

    /// The drafts there are; `nil` when they could not be read.
    var ids: Set<String>? {
      guard case .success(let found) = drafts else { return nil }
      return Set(found.map(\.id))
    }

    /// Those whose publish was interrupted, and not set aside, oldest first.
    var interrupted: [String] {
      guard case .success(let found) = drafts else { return [] }
      return found.filter(\.isInterrupted).map(\.id)
    }
  }

  /// An empty list that belongs to nobody yet.
  package init(galleries: GalleryDoor) {
    self.galleries = galleries
  }

  /// The whole list, the draft that was changed last first.
  package var snapshot: DraftListSnapshot {
    // Of two changed in the same instant the one made later comes first.
    let sorted = drafts.enumerated().sorted {
      ($0.element.updatedAt.date, $0.offset) > ($1.element.updatedAt.date, $1.offset)
    }
    var list = DraftListSnapshot(
      status: problem == nil ? .idle : .failed, phase: .ready,
      can: owner == nil ? [] : [.galleryCreateDraft], problem: problem)
    list.show(sorted.map { ($0.element.id, entry($0.element)) }, within: budget())
    return list
  }

  private func entry(_ draft: Draft) -> DraftListSnapshot.Draft {
    DraftListSnapshot.Draft(
      kind: .gallery,
      // Of a title that nobody could publish, the beginning.
      title: StateBudget.line(draft.title, bytes: 512), photoCount: draft.photoOrder.count,
      updatedAt: draft.updatedAt.rawValue,
      expiresAt: draft.expiry(after: galleries.limits.draftDays)?.rawValue,
      resumable: draft.sending != nil)
  }

  /// Reads the list again, after a draft has changed.
  ///
  /// It is shown unless somebody else is by now.
  package func reload() async {
    changes += 1
    let reading = await read(owner)
    if reading.owner == owner { show(reading) }
  }

  /// Shows what a sweep has changed: drafts that are gone, and how long others are kept. What an intent has
  /// changed meanwhile is shown by the intent (O4).
  func takeOver(_ reading: Reading) {
    guard reading.owner == owner, case .success(let found) = reading.drafts else { return }
    let swept = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let left = drafts.compactMap { shown in
      swept[shown.id].map { $0.revision == shown.revision ? $0 : shown }
    }
    if left != drafts { drafts = left }
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
  /// - Returns: the draft; it is on disk, and its owner is still shown.
  /// - Throws: `intent.stale` when somebody else is shown by then; no draft is left.
  package func create() async throws(IntentRejection) -> Draft {
    guard let asked = owner else { throw .notAvailable(.galleryCreateDraft, phase: "ready") }
    let draft: Draft
    do throws(StoreFault) {
      draft = try await galleries.create(asked, nil)
    } catch {
      throw IntentRejection(Problem(error))
    }
    if owner == asked { await reload() }
    guard owner == asked else {
      // An empty draft that stays because it cannot be removed expires like any other.
      try? await galleries.remove(draft.id)
      throw IntentRejection(Problem(.intentStale))
    }
    return draft
  }
}
