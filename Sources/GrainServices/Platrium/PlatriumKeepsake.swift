import Foundation
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON

/// A Platrium sign-in whose page is open: everything this run, or the next one, needs to finish it (A17).
struct PlatriumKeepsake: Sendable {
  let attempt: PlatriumAttempt
  /// Whom it signs in: somebody at a service, or an account of the list.
  let target: SignInTarget
  /// What the client says it is; an app where there is none (P6).
  let device: PlatriumDevice?
  /// When a callback comes too late.
  let expiresAt: Date

  /// Whose token has to come back, where that is known.
  var expected: AccountID? {
    if case .account(let account) = target { account } else { nil }
  }

  init(
    attempt: PlatriumAttempt, target: SignInTarget, device: PlatriumDevice?, expiresAt: Date
  ) {
    self.attempt = attempt
    self.target = target
    self.device = device
    self.expiresAt = expiresAt
  }

  private static let kind = "platrium.attempt"

  /// As bytes for the vault.
  func sealable() -> Secret {
    var row: JSONObject = [
      "kind": .string(Self.kind), "v": 1, "server": .string(attempt.server.base.absoluteString),
      "redirect": .string(attempt.redirectURI), "state": .string(attempt.state.revealText()),
      "verifier": .string(attempt.pkce.verifier.revealText()),
    ]
    row["expires"] = JSONNumber(expiresAt.timeIntervalSince1970).map { .number($0) }
    row["account"] = expected.map { .string($0.rawValue) }
    if case .platrium(let typed?, _) = target { row["typed"] = .string(typed) }
    if let device {
      var named: JSONObject = [
        "name": .string(device.name), "platform": .string(device.platform),
      ]
      named["version"] = device.appVersion.map { .string($0) }
      row["device"] = .object(named)
    }
    return Secret(JSONValue.object(row).serialized())
  }

  /// Opens what ``sealable()`` made; `nil` when it is something else.
  init?(unsealed secret: Secret) {
    do {
      let row = try JSONParser.parse(secret.reveal())
      guard
        row["kind"]?.stringValue == Self.kind, row["v"] == 1,
        let redirect = row["redirect"]?.stringValue, let state = row["state"]?.stringValue,
        let verifier = row["verifier"]?.stringValue, let expires = row["expires"]?.doubleValue
      else { return nil }
      // Http is possible only where it was allowed when the page was opened.
      let server = try PlatriumServer(
        row["server"]?.stringValue ?? "", allowInsecureLoopback: true)
      attempt = try PlatriumAttempt(
        server: server, redirectURI: redirect, state: Secret(text: state),
        pkce: PKCE(verifier: Secret(text: verifier)))
      device = row["device"].flatMap(PlatriumDevice.init(kept:))
      expiresAt = Date(timeIntervalSince1970: expires)
      if let name = row["account"]?.stringValue {
        guard let account = AccountID(rawValue: name) else { return nil }
        target = .account(account)
      } else {
        target = .platrium(server: row["typed"]?.stringValue, device: device)
      }
    } catch {
      return nil
    }
  }
}

extension PlatriumDevice {
  fileprivate init?(kept row: JSONValue) {
    guard let name = row["name"]?.stringValue, let platform = row["platform"]?.stringValue else {
      return nil
    }
    self.init(name: name, platform: platform, appVersion: row["version"]?.stringValue)
  }
}
