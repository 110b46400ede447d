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
  let secrets: ServerSecrets
  let clock: SystemClock
  let random: SystemRandom
  let settings: AuthorizationSettings
  let faults: AuthorizationFaults

  /// The time all answers go by.
  var now: Date { clock.now() }

  /// The lifetimes in force, which a fault may have shortened.
  var lifetimes: GrantLifetimes { faults.current.lifetimes ?? settings.lifetimes }

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
