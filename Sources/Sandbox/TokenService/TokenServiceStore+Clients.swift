package import Foundation
import SQLiteDatabase
import StrictJSON

/// A device or an app, as the service lists it; the token itself is known to nobody any more.
package struct TokenServiceClient: Sendable, Equatable {
  /// What the token is.
  package enum Kind: String, Sendable {
    /// It has a device row, and can get push (P6, P7).
    case device = "DEVICE"
    /// It has none.
    case app = "APP"
  }

  /// Names it when it is revoked.
  package let id: String
  /// Whose it is.
  package let user: String
  /// The tenant it acts in (P28).
  package let tenant: String
  /// What it called itself, or was called when it was made by hand.
  package let name: String
  /// Its device row.
  package let device: String?
  /// Of a device.
  package let platform: String?
  /// Of a device.
  package let appVersion: String?
  /// `APNS` or `FCM` where push is set.
  package let pushTransport: String?
  /// What push is sent to; a secret of the client's (P43).
  package let pushToken: String?
  /// When its token was made.
  package let created: Date
  /// When its token was last used.
  package let used: Date?

  /// Device or app.
  package var kind: Kind { device == nil ? .app : .device }

  init(_ row: SQLiteRow) {
    id = row.text("id") ?? ""
    user = row.text("user") ?? ""
    tenant = row.text("tenant") ?? ""
    name = row.text("name") ?? ""
    device = row.text("device")
    platform = row.text("platform")
    appVersion = row.text("app_version")
    pushTransport = row.text("push_transport")
    pushToken = row.text("push_token")
    created = row.time("created")
    used = row.integer("used").map { _ in row.time("used") }
  }

  /// The entry in the list; the push token stays here.
  func json(isCurrent: Bool) -> JSONObject {
    var entry: JSONObject = [
      "id": .string(id), "kind": .string(kind.rawValue), "name": .string(name),
    ]
    entry["platform"] = platform.map(JSONValue.string)
    entry["app_version"] = appVersion.map(JSONValue.string)
    entry["created_at"] = .string(Self.text(created))
    entry["last_used_at"] = used.map { .string(Self.text($0)) }
    entry["push_transport"] = pushTransport.map(JSONValue.string)
    entry["current"] = .bool(isCurrent)
    return entry
  }

  private static func text(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// A new token, before it is stored.
struct NewClient: Sendable {
  let id: String
  let token: String
  let user: String
  let tenant: String
  let name: String
  /// Makes it a device.
  let device: (id: String, platform: String, appVersion: String?)?
}

extension TokenServiceStore {
  private static let columns = """
    SELECT platrium_auth_tokens.id, user, tenant, name, device, platform, app_version, push_transport,
      push_token, created, used
    FROM platrium_auth_tokens LEFT JOIN platrium_devices ON platrium_devices.id = device
    """

  func insert(_ client: NewClient, now: Date) async throws {
    try await store.write { database in
      try database.execute(
        "INSERT INTO platrium_auth_tokens VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
        [
          .text(client.id), Self.digest(client.token), .text(client.user), .text(client.tenant),
          .text(client.name), .optional(client.device?.id), .time(now),
        ])
      guard let device = client.device else { return }
      try database.execute(
        "INSERT INTO platrium_devices VALUES (?, ?, ?, ?, NULL, NULL)",
        [
          .text(device.id), .text(client.id), .text(device.platform),
          .optional(device.appVersion),
        ])
    }
  }

  /// The client a token belongs to; its use is noted.
  func use(token: String, now: Date) async throws -> TokenServiceClient? {
    try await store.write { database in
      try database.execute(
        "UPDATE platrium_auth_tokens SET used = ? WHERE hash = ?",
        [.time(now), Self.digest(token)])
      return try database.query("\(Self.columns) WHERE hash = ?", [Self.digest(token)]).first
        .map(TokenServiceClient.init)
    }
  }

  /// Everything of one person, oldest first.
  func clients(of user: String) async throws -> [TokenServiceClient] {
    try await store.read { database in
      try database.query(
        "\(Self.columns) WHERE user = ? ORDER BY platrium_auth_tokens.rowid", [.text(user)]
      ).map(TokenServiceClient.init)
    }
  }

  /// Deletes a token, and by the schema its device; `false` when that person has no such client.
  func deleteClient(_ id: String, of user: String) async throws -> Bool {
    try await store.write { database in
      try database.execute(
        "DELETE FROM platrium_auth_tokens WHERE id = ? AND user = ?", [.text(id), .text(user)])
      return database.changes > 0
    }
  }

  /// Sets or (`nil`) clears what push is sent to.
  func setPush(_ push: (transport: String, token: String)?, device: String) async throws {
    try await store.write { database in
      try database.execute(
        "UPDATE platrium_devices SET push_transport = ?, push_token = ? WHERE id = ?",
        [.optional(push?.transport), .optional(push?.token), .text(device)])
    }
  }
}
