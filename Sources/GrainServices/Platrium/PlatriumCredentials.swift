import Foundation
import HTTPTransport
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON

/// Everything about one Platrium token, as one secret of the vault (P5, P47: one item, strictest
/// protection; the document has room for scopes).
struct PlatriumCredentials: Equatable, Sendable {
  /// The service that knows the token, and no other.
  let server: PlatriumServer
  let token: PlatriumToken
  /// The token's own entry in the list of devices and apps, when the service said which.
  let clientID: String?
  /// Whether the token belongs to a device, which alone gets push (P7).
  let isDevice: Bool
  /// Whose token it is.
  let userID: String
  /// Whether a person made the token by hand (P25); such a one is not given back unused.
  let isPasted: Bool

  init(_ issued: IssuedPlatriumToken, at server: PlatriumServer, isPasted: Bool) {
    self.server = server
    token = issued.token
    clientID = issued.clientID
    isDevice = issued.session.kind == .device
    userID = issued.session.user.id
    self.isPasted = isPasted
  }

  /// The account the token acts for.
  var account: AccountID { server.account(ofUser: userID) }

  private static let kind = "platrium.token"

  /// As bytes for the vault.
  func sealable() -> Secret {
    var row: JSONObject = [
      "kind": .string(Self.kind), "v": 1, "server": .string(server.base.absoluteString),
      "token": .string(token.secret.revealText()), "user": .string(userID),
      "device": .bool(isDevice), "pasted": .bool(isPasted),
    ]
    row["client"] = clientID.map { .string($0) }
    return Secret(JSONValue.object(row).serialized())
  }

  /// Opens what ``sealable()`` made; `nil` when it is something else.
  init?(unsealed secret: Secret) {
    do {
      let row = try JSONParser.parse(secret.reveal())
      guard row["kind"]?.stringValue == Self.kind, row["v"] == 1,
        let user = row["user"]?.stringValue
      else { return nil }
      // Http is possible only where it was allowed when the token was stored.
      server = try PlatriumServer(row["server"]?.stringValue ?? "", allowInsecureLoopback: true)
      token = try PlatriumToken(row["token"]?.stringValue ?? "")
      clientID = row["client"]?.stringValue
      isDevice = row["device"]?.boolValue ?? false
      isPasted = row["pasted"]?.boolValue ?? false
      userID = user
    } catch {
      return nil
    }
  }
}

extension PlatriumServer {
  /// A user of this service.
  func account(ofUser id: String) -> AccountID {
    .platrium(authority: base.origin?.authority ?? host, user: id)
  }
}

/// Where a device's push messages go (P42, P43), as one secret of the vault.
struct PlatriumPush: Equatable, Sendable {
  /// `APNS` or `FCM`.
  let transport: String
  let token: Secret
  /// Whether the service has taken it, for the token that is held now.
  var isRegistered = false

  /// As bytes for the vault.
  func sealable() -> Secret {
    let row: JSONObject = [
      "transport": .string(transport), "token": .string(token.revealText()),
      "registered": .bool(isRegistered),
    ]
    return Secret(JSONValue.object(row).serialized())
  }

  init(transport: String, token: Secret) {
    self.transport = transport
    self.token = token
  }

  /// Opens what ``sealable()`` made; `nil` when it is something else.
  init?(unsealed secret: Secret) {
    do {
      let row = try JSONParser.parse(secret.reveal())
      guard let transport = row["transport"]?.stringValue, let token = row["token"]?.stringValue
      else { return nil }
      self.init(transport: transport, token: Secret(text: token))
      isRegistered = row["registered"]?.boolValue ?? false
    } catch {
      return nil
    }
  }
}
