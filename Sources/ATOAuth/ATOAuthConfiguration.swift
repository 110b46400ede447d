package import Foundation
import OAuth

/// Who we are to authorization servers, and what we ask for.
package struct ATOAuthConfiguration: Sendable {
  /// How the client is known.
  package enum Client: Sendable, Equatable {
    /// By the metadata document at this https URL (G2).
    case document(String)
    /// By atproto's development id, which needs a loopback redirect (G97).
    case development
  }

  /// How the client is known.
  package var client: Client
  /// Where the browser comes back to, unless a sign-in brings a redirect of its own.
  package var redirectURI: String
  /// What is asked for: items separated by one space, `atproto` among them.
  package var scope: String
  /// The home server at which new accounts are made (G25).
  package var signUpPDS: URL
  /// How long a person may take to come back from the browser.
  package var callbackLifetime: Duration
  /// How long a single revocation may take (G103).
  package var revocationDeadline: Duration
  /// Development only: http to loopback hosts.
  package var allowInsecureLoopback: Bool

  /// A configuration.
  package init(
    client: Client, redirectURI: String, scope: String, signUpPDS: URL,
    callbackLifetime: Duration = .seconds(3600), revocationDeadline: Duration = .seconds(4),
    allowInsecureLoopback: Bool = false
  ) {
    self.client = client
    self.redirectURI = redirectURI
    self.scope = scope
    self.signUpPDS = signUpPDS
    self.callbackLifetime = callbackLifetime
    self.revocationDeadline = revocationDeadline
    self.allowInsecureLoopback = allowInsecureLoopback
  }

  /// The client for a redirect.
  ///
  /// - `redirectURI`: a loopback receiver's own; `nil` for the configured one.
  /// - Throws: ``ATOAuthError/misconfigured(_:)``.
  func identity(redirectURI: String?) throws(ATOAuthError) -> ClientIdentity {
    let redirect = redirectURI ?? self.redirectURI
    do {
      switch client {
      case .document(let clientID):
        return try .published(clientID: clientID, redirectURI: redirect)
      case .development:
        return try .development(redirectURI: redirect, scope: scope)
      }
    } catch {
      throw .misconfigured(error)
    }
  }
}
