import ATOAuth
import ATXRPC
import Foundation
import OAuth
import SystemClients

/// An account that has moved is found at its new home server (G101).
extension TokenSession {
  /// How long one look is believed: a server that is down is no reason to ask the directory with every
  /// call.
  private static let lookLasts: TimeInterval = 60

  /// Looks where the account is now; callers that come meanwhile share the look.
  ///
  /// At another home server of the same issuer the tokens go on working there, which is on disk when
  /// this returns. At one that signs in elsewhere the grant is over.
  ///
  /// - Parameters:
  ///   - base: where the call went that gave reason to look.
  ///   - locate: looks the account up.
  /// - Returns: whether calls now go somewhere else than there.
  func relocate(
    from base: URL,
    _ locate: @escaping @Sendable (Grant) async throws(ATOAuthError) -> AccountRelocation.Outcome
  ) async -> Bool {
    if let locating { return await locating.value }
    let now = environment.clock.now()
    if let lastLook, now < lastLook.addingTimeInterval(Self.lookLasts) {
      return current.pds != base
    }
    lastLook = now
    // Unstructured: who gives up waiting must not leave half a move behind.
    let task = Task { await self.performRelocation(locate) }
    locating = task
    defer { locating = nil }
    return await task.value
  }

  private func performRelocation(
    _ locate: @Sendable (Grant) async throws(ATOAuthError) -> AccountRelocation.Outcome
  ) async -> Bool {
    let asked = current
    let outcome: AccountRelocation.Outcome
    do throws(ATOAuthError) {
      outcome = try await locate(asked)
    } catch {
      // Nobody knows: the account stays where it was, and the call's own error is told.
      return false
    }
    // A refresh under way spends the token: its answer must not meet another grant than it left.
    await refreshEnded()
    guard current.pds == asked.pds, current.issuer == asked.issuer else { return true }
    switch outcome {
    case .unmoved: return false
    case .moved(let moved):
      await move(to: moved.pds, handle: moved.handle)
      return true
    case .needsSignIn:
      await endMoved()
      return false
    }
  }
}
