import Foundation
import OAuth
import OpenSSLCrypto

/// A page in the browser that a sign-in waits for, and what it takes to go on with it.
struct OpenPage: Sendable {
  /// What its callback is checked against.
  let expected: ExpectedCallback
  /// When a callback comes too late.
  let expiresAt: Date
  /// What is to be shown; `nil` for a page of an earlier run, which cannot be shown a second time.
  let request: BrowserRequest?
  /// When the receiver of ours stops to listen, whichever page is shown then.
  var closesAt = Date.distantFuture
  /// What the account is for.
  var purpose = SignInPurpose.use
  /// What another run would need to go on with it, as its provider writes it; `nil` when none could.
  var keepsake: Secret?
  /// Exchanges what the callback brings, at once and once.
  let redeem: @Sendable (CallbackURL) async throws(SignInError) -> SignedInAccount
  /// Asks for the page anew, with a state and a verifier of its own; `nil` where it never grows old
  /// before the attempt does.
  var renew: (@Sendable () async throws(SignInError) -> OpenPage)?
  /// Forgets the attempt.
  var abandon: @Sendable () async -> Void = {}

  /// When its answer can no longer be had.
  var endsAt: Date { min(expiresAt, closesAt) }
}

/// A page that an earlier run has left open, and whom it signs in.
struct LeftPage: Sendable {
  let page: OpenPage
  let target: SignInTarget
  /// The handle or DID, where there is one.
  let name: String
  /// The host whose page it is.
  let host: String
}
