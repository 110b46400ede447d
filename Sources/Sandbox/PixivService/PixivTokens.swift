import Foundation
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import StrictJSON
import SystemClients

/// The token endpoint, for codes and refresh tokens.
struct PixivTokens: Sendable {
  static let path = "/auth/token"
  /// The only address a code is for; nobody ever gets there.
  static let redirectURI = "https://app-api.pixiv.net/web/v1/users/auth/pixiv/callback"

  let service: PixivServiceContext

  /// Answers a request to ``path`` that came through the gate.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    guard request.method == "POST", request.contentType == FormURLEncoding.mediaType,
      let pairs = FormURLEncoding.decode(request.body)
    else { return PixivAnswer.tokenError("invalid_request", "Invalid request", code: nil) }
    func field(_ name: String) -> String { pairs.last { $0.0 == name }?.1 ?? "" }
    guard ConstantTime.equal(field("client_id"), service.settings.clientID),
      ConstantTime.equal(field("client_secret"), service.settings.clientSecret)
    else { return PixivAnswer.tokenError("invalid_client", "Invalid client", code: nil) }
    switch field("grant_type") {
    case "authorization_code": return try await exchange(field)
    case "refresh_token": return try await refresh(field("refresh_token"))
    default:
      return PixivAnswer.tokenError(
        "unsupported_grant_type", "Unsupported grant type", code: nil)
    }
  }

  private func exchange(_ field: (String) -> String) async throws -> HTTPServerResponse {
    guard let approved = try await service.store.burnCode(field("code")),
      approved.until > service.now
    else { return PixivAnswer.invalidGrant("The authorization code has expired") }
    let challenge = Base64URL.encode(Digest.sha256(field("code_verifier").utf8))
    guard field("redirect_uri") == Self.redirectURI,
      ConstantTime.equal(challenge, approved.challenge),
      let user = try await service.store.user(approved.user)
    else { return PixivAnswer.invalidGrant("Invalid authorization code") }
    let refresh = newSecret()
    try await service.store.insertGrant(refresh: refresh, user: user.id)
    return try await tokens(user, refresh)
  }

  /// As a rule the same refresh token comes back.
  private func refresh(_ token: String) async throws -> HTTPServerResponse {
    guard let user = try await service.store.grant(refresh: token) else {
      return PixivAnswer.invalidGrant("Invalid refresh token")
    }
    guard service.faults.current.replacesRefreshToken else { return try await tokens(user, token) }
    let new = newSecret()
    try await service.store.replace(refresh: token, with: new)
    return try await tokens(user, new)
  }

  private func tokens(
    _ user: PixivServiceUser, _ refresh: String
  ) async throws -> HTTPServerResponse {
    let access = newSecret()
    try await service.store.insertAccess(
      access, refresh: refresh, until: service.after(service.settings.accessLife))
    let faults = service.faults.current
    var members: JSONObject = [
      "access_token": .string(access),
      "expires_in": JSONValue(Int(service.settings.accessLife / .seconds(1))),
      "token_type": "bearer", "scope": "",
    ]
    if !faults.leavesRefreshTokenOut { members["refresh_token"] = .string(refresh) }
    members["user"] = .object(person(user))
    var answer: JSONObject = faults.answerShape == .nested ? [:] : members
    if faults.answerShape != .top { answer["response"] = .object(members) }
    return PixivAnswer.json(answer)
  }

  private func person(_ user: PixivServiceUser) -> JSONObject {
    func picture(_ size: Int) -> JSONValue {
      .string(PixivPictures.address(service.origin, "profile/\(user.id)_\(size).jpg"))
    }
    return [
      "profile_image_urls": [
        "px_16x16": picture(16), "px_50x50": picture(50), "px_170x170": picture(170),
      ],
      "id": .string("\(user.id)"), "name": .string(user.name), "account": .string(user.account),
      "mail_address": .string("\(user.account)@example.com"), "is_premium": false,
      "x_restrict": 0, "is_mail_authorized": true, "require_policy_agreement": false,
    ]
  }

  private func newSecret() -> String {
    Canary.marker + Base64URL.encode(service.random.bytes(24))
  }
}
