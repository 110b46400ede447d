import ATXRPC
import Foundation
import OAuth
import SystemClients

/// Deleting an account at its servers (A32, A45, grain-product §4): asked for by its owner, who has
/// just signed in again; then checked; then signed out here, drafts included.
extension AccountService {
  /// How long a confirmation is good for.
  static let confirmationLasts: TimeInterval = 300

  /// Deletes an account whose owner has just confirmed it, then forgets it.
  ///
  /// Goes on when the caller gives up: a deletion that was sent is not taken back. The account is
  /// marked on disk before anything is sent, so one that is cut off is finished after the next
  /// ``restore()``.
  ///
  /// - Throws: `deletion` with what is left of the account, `unknown`, or `store`.
  package func delete(_ account: AccountID) async throws(AccountError) {
    guard record(account) != nil else { throw .unknown }
    let now = environment.clock.now()
    guard let confirmed = confirmations.removeValue(forKey: account),
      now < confirmed.addingTimeInterval(Self.confirmationLasts)
    else { throw .deletion(.unconfirmed) }
    try await deletion(of: account).value.get()
  }

  /// Goes on with deletions that a crash has cut off.
  func continueDeletions() {
    for record in records where record.deletion != nil && record.hasCredentials {
      _ = deletion(of: record.id)
    }
  }

  /// Stops a deletion because its owner signs in to use the account; returns when nothing more of it is
  /// sent.
  func stopDeletion(of account: AccountID) async {
    guard let running = deletions[account] else { return }
    stoppedDeletions.insert(account)
    running.cancel()
    _ = await running.value
  }

  /// Returns when no deletion is under way.
  package func deletionsEnded() async {
    while let deletion = deletions.values.first { _ = await deletion.value }
  }

  /// The deletion under way, begun if there is none.
  private func deletion(of account: AccountID) -> Task<Result<Void, AccountError>, Never> {
    if let running = deletions[account] { return running }
    let task = Task { [weak self] () -> Result<Void, AccountError> in
      guard let self else { return .failure(.unknown) }
      do throws(AccountError) {
        try await self.perform(deletionOf: account)
        return await self.ended(deletionOf: account, .success(()))
      } catch {
        return await self.ended(deletionOf: account, .failure(error))
      }
    }
    deletions[account] = task
    return task
  }

  private func ended(
    deletionOf account: AccountID, _ result: Result<Void, AccountError>
  ) -> Result<Void, AccountError> {
    deletions[account] = nil
    let isStopped = stoppedDeletions.remove(account) != nil
    switch result {
    case .success:
      log.write(.info, "accounts", "account deleted")
      return result
    case .failure:
      log.write(.warn, "accounts", "account not deleted")
      return isStopped ? .failure(.deletion(.stopped)) : result
    }
  }

  private func perform(deletionOf account: AccountID) async throws(AccountError) {
    // Only Grain accounts can be deleted from here.
    guard let did = account.did else { throw .deletion(.unconfirmed) }
    let caller: AccountCaller
    do throws(CallFault) {
      caller = try await sources.grain.caller(did)
    } catch {
      throw .deletion(record(account)?.deletion == nil ? .refused(error) : .unfinished(error))
    }
    let isResumed = record(account)?.deletion != nil
    try await mark(account, .begun)
    let eraser = AccountEraser(
      caller: caller, backoff: Backoff(clock: environment.clock, random: environment.random),
      log: log)
    switch await eraser.erase() {
    case .erased:
      // Its drafts first: while they cannot be removed, the deletion is not over.
      do throws(StoreFault) {
        try await discardDrafts(of: account)
      } catch {
        throw .deletion(.unfinished(.store(error)))
      }
      try await forget(account)
    // What an earlier run has begun is not undone by a refusal now.
    case .untouched(let fault) where isResumed: throw .deletion(.unfinished(fault))
    case .untouched(let fault):
      do throws(AccountError) {
        try await mark(account, nil)
      } catch {
        // The mark stays, and with it the deletion.
        if case .store(let fault) = error { throw .deletion(.unfinished(.store(fault))) }
        throw error
      }
      throw .deletion(.refused(fault))
    case .unfinished(let fault): throw .deletion(.unfinished(fault))
    }
  }

  private func mark(
    _ account: AccountID, _ deletion: AccountRecord.Deletion?
  ) async throws(AccountError) {
    try await change { () async throws(StoreFault) in
      show(try await store.update(account) { $0.deletion = deletion })
    }
  }
}
