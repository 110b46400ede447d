import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import PixivOAuth
import SystemClients
import Testing

/// A core with made-up Pixiv client values and a Pixiv that answers from a script.
final class PixivWorld: Sendable {
  static let tokenAddress = "oauth.secure.pixiv.net/auth/token"
  static let detailAddress = "app-api.pixiv.net/v1/user/detail"
  static let account = AccountID.pixiv(user: "11")

  let base: SignInWorld
  let configuration: CoreConfiguration
  var accounts: AccountService { base.accounts }
  var http: AddressedHTTP { base.http }
  var store: AccountStore { base.base.store }

  init(signedIn: Bool = false, over grain: Bool = false) async throws {
    var configuration = CoreConfiguration()
    configuration.pixivClientID = "client"
    configuration.pixivClientSecret = ConfiguredSecret("client-secret")
    configuration.pixivHashSalt = ConfiguredSecret("test-salt")
    self.configuration = configuration
    base = try await SignInWorld(
      signedIn: grain ? AccountsWorld.alice : nil, configuration: configuration)
    http.answer(Self.tokenAddress, Self.issued())
    if signedIn { _ = await signIn() }
  }

  /// What the token endpoint gives.
  static func issued(
    _ name: String = "1", user: String = "11", account: String = "ada"
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"access_token":"access-\(name)","refresh_token":"refresh-\(name)","expires_in":3600,
      "token_type":"bearer","scope":"","user":{"id":"\(user)","name":"Ada","account":"\(account)",
      "mail_address":"ada@example.com",
      "profile_image_urls":{"px_170x170":"https://i.pximg.net/170"}}}
      """)
  }

  static let refused = ScriptedHTTP.Answer.json(
    """
    {"has_error":true,"errors":{"system":{"message":"Invalid refresh token","code":1508}},
    "error":"invalid_grant"}
    """, status: 400)

  /// What the API says of an access token that has ended.
  static let ended = ScriptedHTTP.Answer.json(
    #"{"error":{"message":"Error occurred at the OAuth process. Error Message: invalid_grant"}}"#,
    status: 400)

  static let detail = ScriptedHTTP.Answer.json(
    #"{"user":{"id":11,"name":"Ada","account":"ada"},"profile":{}}"#)

  /// Runs a sign-in to its end; the web view stops at the callback as soon as the page is there.
  func signIn(_ target: SignInTarget = .pixiv) async -> Result<AccountID, SignInError> {
    do throws(SignInError) {
      return .success(
        try await base.service.run(target, loopback: true) { [self] step in
          base.steps.record(step)
          guard case .waitingForBrowser = step else { return }
          #expect(
            base.coordinator.offer("pixiv://account/login?code=cod-1&via=login") == .delivered)
        })
    } catch {
      return .failure(error)
    }
  }

  /// The pages that were shown.
  var pages: [BrowserRequest] {
    base.steps.values.compactMap {
      if case .waitingForBrowser(let request) = $0 { request } else { nil }
    }
  }

  /// The forms that were posted to the token endpoint.
  var posted: [[String: String]] { http.requests(to: Self.tokenAddress).map { form($0) } }

  /// The core that is started next on the same data.
  func restarted() async throws -> AccountService {
    let service = AccountService(
      store: try await base.base.reopenedStore(), drafts: base.base.drafts, http: http.client,
      environment: base.base.environment, configuration: configuration, log: .silent)
    await service.restore()
    return service
  }

  /// What the store holds of the account's tokens.
  func stored() async throws -> PixivTokens? {
    try await base.base.reopenedStore().credentials(Self.account)
      .flatMap(PixivTokens.init(opening:))
  }
}
