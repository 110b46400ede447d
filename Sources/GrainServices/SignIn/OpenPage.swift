import ATOAuth
import ATSyntax
import Foundation
import OAuth

/// A page in the browser that a sign-in waits for, and what it takes to show it again.
struct OpenPage: Sendable {
  /// Whom it signs in.
  let start: AuthorizationFlow.Start
  /// Where it was begun.
  let flow: AuthorizationFlow
  /// Where a receiver of ours listens; `nil` when the shell brings the answer.
  let redirectURI: String?
  /// What the person typed, for words about it.
  let name: String
  /// What the tokens are for.
  let purpose: SignInPurpose
  /// Hears each step before its work begins.
  let step: SignInDoor.Steps
  /// What its callback is checked against.
  var attempt: AuthorizationAttempt
  /// What is to be shown; `nil` for a page of an earlier run, which cannot be shown a second time.
  var request: BrowserRequest?
  /// When the receiver of ours stops to listen, whichever page is shown then.
  var closesAt = Date.distantFuture

  /// When its answer can no longer be had.
  var endsAt: Date { min(attempt.expiresAt, closesAt) }

  /// Whether another run could go on with it: a port of ours ends with this one, and what a deletion
  /// was confirmed for does so as well.
  var outlivesUs: Bool { redirectURI == nil && purpose == .use }

  /// The same sign-in at a page that was asked for anew.
  func renewed(by started: StartedAuthorization) -> OpenPage {
    var page = self
    page.attempt = started.attempt
    page.request = started.request(overLoopback: redirectURI != nil)
    return page
  }
}

extension StartedAuthorization {
  /// What a browser has to show.
  func request(overLoopback: Bool) -> BrowserRequest {
    BrowserRequest(
      url: authorizationURL, host: attempt.issuerHost,
      callback: overLoopback
        ? .core : .shell(scheme: route.scheme, host: route.host, path: route.path),
      opensUntil: opensUntil)
  }
}

extension AuthorizationAttempt {
  /// The host whose page it is.
  var issuerHost: String { URL(string: issuer.rawValue)?.host() ?? issuer.rawValue }

  /// Whom it signs in, as far as it says.
  var start: AuthorizationFlow.Start {
    guard let did = expectedDID else { return .signUp }
    return .account(handle.map { .handle($0) } ?? .did(did))
  }
}
