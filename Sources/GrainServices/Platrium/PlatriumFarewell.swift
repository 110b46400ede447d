import Foundation
import HTTPTransport
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON

/// What is left to be said to a service when an account is forgotten here: no more push, and no more
/// token (P40). It waits in the queue until the service has heard it.
struct PlatriumFarewell: Sendable {
  let server: PlatriumServer
  let token: PlatriumToken
  let isDevice: Bool

  init(_ credentials: PlatriumCredentials) {
    server = credentials.server
    token = credentials.token
    isDevice = credentials.isDevice
  }

  private static let kind = "platrium.farewell"

  /// As bytes for the vault.
  func sealable() -> Secret {
    let row: JSONObject = [
      "kind": .string(Self.kind), "v": 1, "server": .string(server.base.absoluteString),
      "token": .string(token.secret.revealText()), "device": .bool(isDevice),
    ]
    return Secret(JSONValue.object(row).serialized())
  }

  /// Opens what ``sealable()`` made; `nil` when it is something else.
  init?(unsealed secret: Secret) {
    do {
      let row = try JSONParser.parse(secret.reveal())
      guard row["kind"]?.stringValue == Self.kind, row["v"] == 1 else { return nil }
      server = try PlatriumServer(row["server"]?.stringValue ?? "", allowInsecureLoopback: true)
      token = try PlatriumToken(row["token"]?.stringValue ?? "")
      isDevice = row["device"]?.boolValue ?? false
    } catch {
      return nil
    }
  }

  /// Clears push, then gives the token back; the second does not wait for the first to succeed, and
  /// whoever leaves waits for neither longer than this (G60).
  func say(through client: PlatriumClient, within limit: Duration) async -> RevocationOutcome {
    if isDevice {
      do throws(PlatriumError) {
        try await client.clearPush(token, within: limit)
      } catch {
        if error.leftNothing { return .unsent }
        // Gone already: there is nothing to give back.
        if error.endsSession { return .done }
      }
    }
    do throws(PlatriumError) {
      try await client.logOut(token, within: limit)
      return .done
    } catch {
      return error.leftNothing ? .unsent : .refused
    }
  }
}

extension PlatriumError {
  /// Whether nothing left this machine.
  fileprivate var leftNothing: Bool {
    switch self {
    case .network(.offline), .network(.cancelled): true
    default: false
    }
  }
}
