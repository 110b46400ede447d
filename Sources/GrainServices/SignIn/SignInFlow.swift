import Foundation
import OAuth
import OpenSSLCrypto

/// One provider's way from a person to an account.
protocol SignInFlow: Sendable {
  /// Begins a sign-in.
  ///
  /// - Parameters:
  ///   - target: whom to sign in; of this provider.
  ///   - port: opens a port of ours for the answer and says where it is; `nil` where the shell shows
  ///     pages in something that cannot reach one.
  ///   - step: hears each step before its work begins.
  /// - Returns: the page to be shown, or the account where none is needed.
  /// - Throws: why it cannot begin.
  func begin(
    _ target: SignInTarget, port: OpenPort?, step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> SignInOpening

  /// The page that an earlier run has left, from its ``OpenPage/keepsake`` (A17); `nil` when that is none
  /// of this provider's, or when nobody can go on with it.
  func reopen(_ keepsake: Secret) async -> LeftPage?
}

extension SignInFlow {
  /// Nothing: without a state of its own a callback is told by the web view it was caught in, and that
  /// ends with the program.
  func reopen(_ keepsake: Secret) async -> LeftPage? { nil }
}

/// Opens a port of ours; what comes there is checked like any callback.
typealias OpenPort = @Sendable () async throws(SignInError) -> String

/// What a sign-in has come to before anybody was asked anything in a browser.
enum SignInOpening: Sendable {
  /// A page that has to be answered.
  case page(OpenPage)
  /// It needs none.
  case signedIn(SignedInAccount)
}
