import JOSE
package import OpenSSLCrypto
import StrictJSON

/// What a native sign-in hands to the backend that exchanges it (A33).
package struct NativeIDToken: Sendable {
  /// Why something is no ID token. No case holds any part of it.
  package enum Refusal: Error, Equatable, Sendable {
    /// Nothing was given.
    case empty
    /// It is no signed token: an authorization code, most likely (A35).
    case notAnIDToken
    /// It is a token that nobody has signed.
    case unsigned
  }

  /// Whose SDK gave it.
  package let provider: NativeIDProvider
  /// Goes to the backend as it is.
  package let idToken: Secret
  /// The nonce before any digest.
  package let rawNonce: Secret
  /// Where the SDK gives one.
  package let accessToken: Secret?
  /// Given at the first sign-in only.
  package let fullName: String?

  /// Looks at the form only: three parts, and a header that names how they are signed. What the token
  /// says of a person is for the backend to read and to judge (A8).
  static func check(_ token: Secret) throws(Refusal) {
    guard token.count > 0 else { throw .empty }
    let parts = token.revealText().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
      Base64URL.decode(String(parts[1]))?.isEmpty == false,
      Base64URL.decode(String(parts[2])) != nil
    else { throw .notAnIDToken }
    let algorithm: String?
    do {
      algorithm = try JSONParser.parse(header)["alg"]?.stringValue
    } catch {
      throw .notAnIDToken
    }
    guard let algorithm else { throw .notAnIDToken }
    if algorithm.lowercased() == "none" || parts[2].isEmpty { throw .unsigned }
  }
}

/// The backend behind native sign-ins, as the host application brings it. Its SDK owns the session and
/// keeps it; the core asks it to sign in and watches what it says (A8, A26).
package struct NativeIDBackend: Sendable {
  /// What the backend's SDK says of its session.
  package enum Session: Equatable, Sendable {
    case signedOut
    /// Who it is, in the backend's own words; never read from a token.
    case signedIn(user: String)
  }

  /// Why the backend signs nobody in.
  package enum Failure: Error, Equatable, Sendable {
    /// The backend refused the token or its nonce.
    case refused(String?)
    /// Network or server.
    case remote(RemoteFault)
  }

  /// Exchanges a credential for a session of the backend's.
  package var signIn: @Sendable (_ credential: NativeIDToken) async throws(Failure) -> Session
  /// The session now and after every change.
  package var sessions: @Sendable () async -> AsyncStream<Session>

  /// A backend made of its calls.
  package init(
    signIn: @escaping @Sendable (NativeIDToken) async throws(Failure) -> Session,
    sessions: @escaping @Sendable () async -> AsyncStream<Session>
  ) {
    self.signIn = signIn
    self.sessions = sessions
  }
}
