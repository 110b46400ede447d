import JOSE
import StrictJSON

package import ATSyntax
package import Foundation
package import HTTPServing
package import HTTPTransport
package import SystemClients

/// The OAuth side of a PDS or an entryway: discovery, pushed requests, pages, tokens, and the
/// verdict on requests that carry them.
///
/// It refuses what the reference server refuses, in its words and its order; it shares codecs with
/// the client under test, never decisions. It opens no socket: the network hands it requests.
/// - SeeAlso: atproto-wire §§3–10, 16
package final class AuthorizationServer: AccessVerifier {
  /// What the server is told to do wrong.
  package let faults = AuthorizationFaults()

  private let context: AuthorizationContext
  /// The judges of resource servers elsewhere: each has its own nonces and its own memory.
  private let distantJudges = Locked<[String: DPoPJudge]>([:])

  /// A server known to the world by the origin `issuer`, which vouches for the resource servers
  /// named (an entryway names none) and fetches client documents through `http`.
  package init(
    issuer: URL, protectedResources: [URL], accounts: any AccountDirectory, store: SandboxStore,
    http: HTTPClient, clock: SystemClock, random: SystemRandom,
    settings: AuthorizationSettings = AuthorizationSettings()
  ) {
    let origin = Self.origin(issuer)
    let records = AuthorizationStore(store: store, issuer: origin)
    context = AuthorizationContext(
      issuer: origin, protectedResources: protectedResources.map(Self.origin),
      accounts: accounts, store: records, clients: ClientDirectory(http: http, clock: clock),
      permissionSets: PermissionSets(settings.permissionSets), judge: Self.judge(random),
      secrets: ServerSecrets(store: records, random: random), clock: clock, random: random,
      settings: settings, faults: faults)
  }

  /// Answers a request to one of the server's own paths.
  ///
  /// - Returns: `nil` when the path is not the authorization server's.
  package func handle(_ request: HTTPServerRequest) async -> HTTPServerResponse? {
    switch (request.method, request.path) {
    case ("OPTIONS", "/.well-known/oauth-authorization-server"), ("OPTIONS", "/oauth/jwks"),
      ("OPTIONS", "/oauth/par"), ("OPTIONS", "/oauth/token"), ("OPTIONS", "/oauth/revoke"):
      return OAuthAnswer.preflight
    case ("GET", "/.well-known/oauth-authorization-server"):
      return OAuthAnswer.document(
        ServerMetadata.document(
          issuer: context.issuer, protectedResources: context.protectedResources))
    case ("GET", "/oauth/jwks"):
      // The token key is symmetric, so there is nothing to publish.
      return OAuthAnswer.document(["keys": []])
    case ("POST", "/oauth/par"):
      return await endpoint(request, status: 201, PushedRequestEndpoint(server: context).answer)
    case (_, "/oauth/par"):
      return .empty(status: 405)
    case ("POST", "/oauth/token"):
      return await endpoint(request, status: 200, TokenEndpoint(server: context).answer)
    case ("POST", "/oauth/revoke"):
      return await endpoint(request, status: 200, RevocationEndpoint(server: context).answer)
    case (_, let path) where path == "/oauth/authorize" || path.hasPrefix("/oauth/authorize/"):
      return await AuthorizePages(server: context).answer(request)
    case (let method, let path) where path.hasPrefix("/oauth/"):
      return OAuthAnswer.notFound(method: method, path: path)
    default: return nil
    }
  }

  /// Whether a request to a resource server may act for an account (wire §10.2, up to and with
  /// the `atproto` scope).
  ///
  /// `publicURL` is the resource server's origin; where it is not the issuer's, tokens are judged by
  /// what they say alone, as a PDS behind an entryway does.
  package func verifyAccess(
    _ request: HTTPServerRequest, publicURL: URL
  ) async -> AccessVerdict {
    let origin = Self.origin(publicURL)
    let guardian = AccessGuard(
      server: context, judge: judge(at: origin), publicURL: publicURL, origin: origin)
    do {
      return try await guardian.verdict(request)
    } catch {
      return .refused(
        AuthorizationHeader.xrpc(500, "InternalServerError", "Internal Server Error"))
    }
  }

  /// Ends every session of an account at once.
  package func dropSessions(of did: DID) async {
    // A store that fails here fails every later check of these sessions, too.
    try? await context.store.endSessions(did: did.rawValue)
  }

  // MARK: Private

  private func endpoint(
    _ request: HTTPServerRequest, status: Int,
    _ answer: (HTTPServerRequest) async throws -> JSONObject
  ) async -> HTTPServerResponse {
    guard AcceptHeader.takesJSON(request.headers["Accept"]) else {
      return OAuthAnswer.notAcceptable
    }
    do {
      let members = try await answer(request)
      return OAuthAnswer.endpoint(members, status: status, nonce: context.nextNonce())
    } catch let refusal as OAuthRefusal {
      return OAuthAnswer.refusal(refusal, nonce: context.nextNonce())
    } catch {
      return OAuthAnswer.refusal(.serverError, nonce: context.nextNonce())
    }
  }

  private func judge(at origin: String) -> DPoPJudge {
    if origin == context.issuer { return context.judge }
    return distantJudges.withLock { judges in
      if let judge = judges[origin] { return judge }
      let judge = Self.judge(context.random)
      judges[origin] = judge
      return judge
    }
  }

  private static func judge(_ random: SystemRandom) -> DPoPJudge {
    DPoPJudge(nonces: DPoPNonces(secret: random.bytes(32)), replays: ProofReplayMemory())
  }

  private static func origin(_ url: URL) -> String {
    url.origin?.description ?? url.absoluteString
  }
}
