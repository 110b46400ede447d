import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON
import SystemClients

/// What every endpoint of one authorization server works with.
struct AuthorizationContext: Sendable {
  /// The issuer's origin, without a trailing slash.
  let issuer: String
  let protectedResources: [String]
  let accounts: any AccountDirectory
  let store: AuthorizationStore
  let clients: ClientDirectory
  let permissionSets: PermissionSets
  let judge: DPoPJudge
  /// The `jti` values of client assertions.
  let assertions = ProofReplayMemory()
  let secrets: ServerSecrets
  let clock: SystemClock
  let random: SystemRandom
  let settings: AuthorizationSettings
  let faults: AuthorizationFaults

  /// The time all answers go by.
  var now: Date { clock.now() }

  /// The lifetimes in force, which a fault may have shortened.
  var lifetimes: GrantLifetimes { faults.current.lifetimes ?? settings.lifetimes }

  /// The same for a client: one that can keep a secret gets longer ones.
  func lifetimes(for client: ClientDocument) -> GrantLifetimes {
    var lifetimes = lifetimes
    if client.authentication != .none, faults.current.lifetimes == nil {
      lifetimes.refreshToken = .seconds(90 * 24 * 60 * 60)
      lifetimes.session = .seconds(2 * 365 * 24 * 60 * 60)
    }
    return lifetimes
  }

  /// The client a request says it comes from, authenticated where it has keys.
  ///
  /// `nil` for the key of a public client.
  func authenticated(
    _ clientID: String, _ body: OAuthBody, proof: DPoPProof?
  ) async throws(OAuthRefusal) -> (client: ClientDocument, key: String?) {
    let client = try await clients.client(clientID)
    guard client.authentication != .none else { return (client, nil) }
    let key = try ClientAssertion(body).verified(
      client: client, issuer: issuer, seen: assertions, now: now)
    guard proof?.thumbprint != key else {
      throw .invalidRequest(
        "The DPoP proof must be signed with a different key than the client assertion")
    }
    return (client, key)
  }

  /// The nonce of the answer being written.
  func nextNonce() -> String {
    judge.nonces.next(now: now, rotation: faults.current.nonceRotation)
  }

  /// Judges the proof of a request to one of the server's own endpoints.
  ///
  /// - Returns: `nil` when there is none.
  func proof(of request: HTTPServerRequest, path: String) throws(OAuthRefusal) -> DPoPProof? {
    do {
      return try judge.judge(
        fields: request.headers.all("DPoP"), method: request.method, url: issuer + path,
        accessToken: nil, now: now, rotation: faults.current.nonceRotation)
    } catch {
      throw OAuthRefusal(error)
    }
  }
}

extension Duration {
  /// As a number of seconds.
  var seconds: TimeInterval {
    let (seconds, attoseconds) = components
    return TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
  }
}
