import ATIdentity
import ATSyntax
import ATXRPC
import Foundation
import GrainLexicon
import StrictJSON
import SystemClients

/// What the service does by itself: owned, in the background, and never in the way of what is shown.
extension GrainSource {
  /// Looks after an account, if anybody is to look after any.
  package func lookAfter(_ account: AccountID, _ occasion: AccountOccasion) {
    guard let upkeep, let did = account.did else { return }
    switch occasion {
    // The call brings a nonce of the server's, so that the first call that somebody waits for does
    // not cost two (G102).
    case .shown: background.start { [weak self] in await self?.ask(did) }
    // Its tokens are refreshed by the first call that needs them.
    case .inherited: break
    case .signedIn(let isNamed):
      if !isNamed { background.start { [weak self] in await self?.lookUpHandle(of: did) } }
      if upkeep.ensuresProfile {
        background.start { [weak self] in await self?.ensureProfile(did) }
      }
    }
  }

  // MARK: What the account's server says

  /// Asks the account's server how the account stands there.
  func ask(_ did: DID) async {
    do throws(CallFault) {
      let answer = try await caller(did).perform { client async throws(XRPCError) in
        try await client.query(MethodNames.getSession)
      }
      guard let session = ServerSession(answer), session.did == did else { return }
      await note(session.inactive, of: did)
      await follow(session.handle, of: did)
    } catch {
      // The account is shown as it was; whoever needs the server will hear of it.
      log.write(.debug, "accounts", "account state is not known")
    }
  }

  /// Notes how an account stands; `nil` is active.
  func note(_ inactive: String?, of did: DID) async {
    let standing = inactive.map(AccountRecord.Standing.inactive) ?? .ok
    guard let known = await record(did), known.hasCredentials, known.standing != standing else {
      return
    }
    await list?.edit(did.account) { $0.standing = standing }
  }

  /// Follows a changed handle, once it is confirmed in both directions (G12).
  private func follow(_ handle: String?, of did: DID) async {
    guard let handle, let known = await record(did), known.handle != handle else { return }
    await lookUpHandle(of: did)
  }

  /// Looks an account's handle up in both directions; where nobody can say, the known one stays
  /// (FB-A29).
  private func lookUpHandle(of did: DID) async {
    guard let upkeep else { return }
    do throws(IdentityError) {
      switch try await upkeep.resolve(did).confirmation {
      case .confirmed(let handle): await list?.edit(did.account) { $0.handle = handle.rawValue }
      case .refuted: await list?.edit(did.account) { $0.handle = nil }
      case .unknown: log.write(.debug, "accounts", "a handle could not be looked up")
      }
    } catch {
      log.write(.debug, "accounts", "a changed handle could not be confirmed")
    }
  }

  private func record(_ did: DID) async -> AccountRecord? { await list?.record(did.account) }

  /// Before a write: an account that was not active is asked again, it may be by now.
  ///
  /// - Throws: `accountInactive` with the server's word for it; `deleting` for one that is being deleted.
  func requireActive(_ did: DID) async throws(CallFault) {
    let known = await record(did)
    if known?.deletion != nil { throw .accountInactive("deleting") }
    guard case .inactive = known?.standing else { return }
    await ask(did)
    if case .inactive(let word) = await record(did)?.standing { throw .accountInactive(word) }
  }
}
