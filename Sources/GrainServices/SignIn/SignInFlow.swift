import Foundation
import OAuth

/// One provider's way from a person to an account.
protocol SignInFlow: Sendable {
  /// Whether the answer of a sign-in is to come to a port of ours.
  ///
  /// - Parameters:
  ///   - target: whom to sign in.
  ///   - loopback: whether the shell shows pages in an ordinary browser, which can reach one.
  /// - Returns: whether to listen.
  func listens(for target: SignInTarget, loopback: Bool) -> Bool

  /// Begins a sign-in.
  ///
  /// - Parameters:
  ///   - target: whom to sign in; of this provider.
  ///   - redirectURI: where a port of ours waits for the answer; `nil` when there is none.
  ///   - step: hears each step before its work begins.
  /// - Returns: the page to be shown, or the account where none is needed.
  /// - Throws: why it cannot begin.
  func begin(
    _ target: SignInTarget, redirectURI: String?, step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> SignInOpening
}

/// What a sign-in has come to before anybody was asked anything in a browser.
enum SignInOpening: Sendable {
  /// A page that has to be answered.
  case page(OpenPage)
  /// It needs none.
  case signedIn(SignedInAccount)
}
