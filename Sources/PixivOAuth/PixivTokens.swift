package import Foundation
package import OpenSSLCrypto
import StrictJSON

/// What one answer of the token endpoint gave.
package struct PixivTokens: Equatable, Sendable {
  /// For the API, as a bearer.
  package let accessToken: Secret
  /// As a rule the same for ever.
  package let refreshToken: Secret
  /// By this machine's clock.
  package let expiresAt: Date
  /// Who it belongs to.
  package let user: PixivUser

  /// Tokens of one answer.
  package init(accessToken: Secret, refreshToken: Secret, expiresAt: Date, user: PixivUser) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
    self.user = user
  }

  /// Reads an answer; its members stand at the top, under `response`, or both. What a refresh leaves out
  /// stays as it was.
  init?(_ json: JSONValue, receivedAt: Date, before: PixivTokens?) {
    func member(_ name: String) -> JSONValue? { json[name] ?? json["response"]?[name] }
    guard
      let access = member("access_token")?.stringValue, !access.isEmpty,
      let refresh = member("refresh_token")?.stringValue.map(Secret.init(text:))
        ?? before?.refreshToken,
      let user = PixivUser(member("user")) ?? before?.user,
      member("token_type")?.stringValue?.lowercased() ?? "bearer" == "bearer"
    else { return nil }
    let life = member("expires_in")?.intValue ?? 3600
    self.init(
      accessToken: Secret(text: access), refreshToken: refresh,
      expiresAt: receivedAt.addingTimeInterval(TimeInterval(min(max(life, 0), 86_400 * 30))),
      user: user)
  }

  /// Whether the access token ends within a minute.
  package func isStale(at now: Date) -> Bool { expiresAt.timeIntervalSince(now) <= 60 }

  // MARK: In the vault

  /// Everything as one secret, for one sealed row.
  package func sealed() -> Secret {
    var user: JSONObject = [
      "id": .string(self.user.id), "name": .string(self.user.name),
      "account": .string(self.user.account),
    ]
    user["avatar"] = self.user.avatar.map { .string($0.absoluteString) }
    let row: JSONObject = [
      "version": 1, "access": .string(accessToken.revealText()),
      "refresh": .string(refreshToken.revealText()),
      "expires": .string("\(expiresAt.timeIntervalSince1970)"), "user": .object(user),
    ]
    return Secret(JSONValue.object(row).serialized())
  }

  /// Opens what ``sealed()`` made; `nil` when it is something else.
  package init?(opening secret: Secret) {
    let row: JSONValue
    do {
      row = try JSONParser.parse(secret.reveal())
    } catch {
      return nil
    }
    guard
      row["version"] == 1, let access = row["access"]?.stringValue,
      let refresh = row["refresh"]?.stringValue,
      let expires = row["expires"]?.stringValue.flatMap(TimeInterval.init),
      let id = row["user"]?["id"]?.stringValue, let name = row["user"]?["name"]?.stringValue,
      let account = row["user"]?["account"]?.stringValue
    else { return nil }
    self.init(
      accessToken: Secret(text: access), refreshToken: Secret(text: refresh),
      expiresAt: Date(timeIntervalSince1970: expires),
      user: PixivUser(
        id: id, name: name, account: account,
        avatar: row["user"]?["avatar"]?.stringValue.flatMap(URL.init(string:))))
  }
}
