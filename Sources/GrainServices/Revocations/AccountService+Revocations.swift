import ATOAuth
import ATSyntax
import OAuth
import SystemClients

/// Grants that are to be revoked: whose they were is forgotten, or has a newer one (G59, G103).
extension AccountService {
  /// The account's newest grant; nothing is signed with it any more.
  func retired(_ did: DID) async -> Grant? {
    guard let session = sessions.removeValue(forKey: did) else { return await storedGrant(did) }
    return await session.retire()
  }

  func heldGrant(_ did: DID) async -> Grant? {
    if let session = sessions[did] { return await session.current }
    return await storedGrant(did)
  }

  func storedGrant(_ did: DID) async -> Grant? {
    do throws(StoreFault) {
      return try await store.grant(did)
    } catch {
      // A grant that cannot be opened cannot be revoked; it can still be replaced or removed.
      return nil
    }
  }

  func queued(_ grant: Grant) -> QueuedRevocation? {
    QueuedRevocation(of: grant, at: environment.clock.now(), random: environment.random)
  }

  /// Returns when no revocation is under way.
  package func revocationsEnded() async { await revocations.settled() }

  /// For tokens that the store does not take: nothing could remember them.
  func revoke(_ grant: Grant) async {
    guard let revocation = Revocation(of: grant) else { return }
    if await grants.revoke(revocation) != nil {
      log.write(.warn, "accounts", "revocation did not go through")
    }
  }
}
