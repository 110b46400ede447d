package import ATIdentity
import ATSyntax
package import HTTPTransport
package import OAuth

/// Looks whether an account has moved, when its home server no longer takes its calls (G101).
package struct AccountRelocation: Sendable {
  /// Where the account is now.
  package enum Outcome: Sendable {
    /// Where it was; the trouble has another cause.
    case unmoved
    /// At another home server of the same authorization server; its tokens go on working.
    case moved(Grant)
    /// At a home server that signs in elsewhere: only a new sign-in helps.
    case needsSignIn(issuer: String)
  }

  private let identities: IdentityResolver
  private let discovery: ServerDiscovery

  /// Looks through the identity resolver; `allowInsecureLoopback` is for development only.
  package init(
    identities: IdentityResolver, http: HTTPClient, environment: DPoPEnvironment,
    allowInsecureLoopback: Bool = false
  ) {
    self.identities = identities
    discovery = ServerDiscovery(
      http: http, nonces: environment.nonces, allowInsecureLoopback: allowInsecureLoopback)
  }

  /// Resolves the account afresh.
  package func locate(_ grant: Grant) async throws(ATOAuthError) -> Outcome {
    let identity: Identity
    do {
      identity = try await identities.resolve(.did(grant.did), fresh: true)
    } catch {
      throw .identity(error)
    }
    guard identity.pds != grant.pds else { return .unmoved }
    let server = try await discovery.authorizationServer(of: identity.pds)
    guard server.issuer == grant.issuer else {
      return .needsSignIn(issuer: server.issuer.rawValue)
    }
    return .moved(
      grant.with(pds: identity.pds, handle: identity.confirmation.handle(knowing: grant.handle)))
  }
}
