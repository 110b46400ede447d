import Foundation
import OAuth

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
