import ATSyntax
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
    guard record(account) != nil, let did = account.did else { throw .unknown }
    let now = environment.clock.now()
    guard let confirmed = confirmations.removeValue(forKey: did),
      now < confirmed.addingTimeInterval(Self.confirmationLasts)
    else { throw .deletion(.unconfirmed) }
    try await deletion(of: did).value.get()
  }

  /// Goes on with deletions that a crash has cut off.
  func continueDeletions() {
    for record in records where record.deletion != nil && record.hasCredentials {
      if let did = record.id.did { _ = deletion(of: did) }
    }
  }

  /// Stops a deletion because its owner signs in to use the account; returns when nothing more of it is
  /// sent.
  func stopDeletion(of did: DID) async {
    guard let running = deletions[did] else { return }
    stoppedDeletions.insert(did)
    running.cancel()
    _ = await running.value
  }

  /// Returns when no deletion is under way.
  package func deletionsEnded() async {
    while let deletion = deletions.values.first { _ = await deletion.value }
  }

  /// The deletion under way, begun if there is none.
  private func deletion(of did: DID) -> Task<Result<Void, AccountError>, Never> {
    if let running = deletions[did] { return running }
    let task = Task { [weak self] () -> Result<Void, AccountError> in
      guard let self else { return .failure(.unknown) }
      do throws(AccountError) {
        try await self.perform(deletionOf: did)
        return await self.ended(deletionOf: did, .success(()))
      } catch {
        return await self.ended(deletionOf: did, .failure(error))
      }
    }
    deletions[did] = task
    return task
  }

  private func ended(
    deletionOf did: DID, _ result: Result<Void, AccountError>
  ) -> Result<Void, AccountError> {
    deletions[did] = nil
    let isStopped = stoppedDeletions.remove(did) != nil
    switch result {
    case .success:
      log.write(.info, "accounts", "account deleted")
      return result
    case .failure:
      log.write(.warn, "accounts", "account not deleted")
      return isStopped ? .failure(.deletion(.stopped)) : result
    }
  }

  private func perform(deletionOf did: DID) async throws(AccountError) {
    let caller: AccountCaller
    do throws(CallFault) {
      caller = try await self.caller(did)
    } catch {
      throw .deletion(record(did.account)?.deletion == nil ? .refused(error) : .unfinished(error))
    }
    let isResumed = record(did.account)?.deletion != nil
    try await mark(did, .begun)
    let eraser = AccountEraser(
      caller: caller, backoff: Backoff(clock: environment.clock, random: environment.random),
      log: log)
    switch await eraser.erase() {
    case .erased:
      // Its drafts first: while they cannot be removed, the deletion is not over.
      do throws(StoreFault) {
        try await discardDrafts(of: did)
      } catch {
        throw .deletion(.unfinished(.store(error)))
      }
      try await forget(did.account)
    // What an earlier run has begun is not undone by a refusal now.
    case .untouched(let fault) where isResumed: throw .deletion(.unfinished(fault))
    case .untouched(let fault):
      do throws(AccountError) {
        try await mark(did, nil)
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
    _ did: DID, _ deletion: AccountRecord.Deletion?
  ) async throws(AccountError) {
    try await change { () async throws(StoreFault) in
      show(try await store.update(did.account) { $0.deletion = deletion })
    }
  }
}
