import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

/// A core with a Platrium service at `https://platrium.test`, which answers from a script.
final class PlatriumWorld: Sendable {
  static let host = "platrium.test"
  static let account = AccountID.platrium(authority: host, user: "u1")
  static let first = token("A")
  static let second = token("B")
  static let device = PlatriumDevice(name: "Ada's phone", platform: "IOS", appVersion: "1.2")

  static func token(_ letter: Character) -> String { "plt_" + String(repeating: letter, count: 43) }
  static func endpoint(_ path: String) -> String { "\(host)/api/auth/\(path)" }

  let base: SignInWorld
  var accounts: AccountService { base.accounts }
  var http: AddressedHTTP { base.http }
  var store: AccountStore { base.base.store }
  var devices: DevicesDoor { .live(accounts) }

  init(signedIn: Bool = false, over grain: Bool = false) async throws {
    base = try await SignInWorld(signedIn: grain ? AccountsWorld.alice : nil)
    http.answer(Self.endpoint("token"), Self.issued())
    http.answer(Self.endpoint("me"), Self.me())
    http.answer(Self.endpoint("logout"), .status(204))
    http.answer(Self.endpoint("device/push"), .status(204))
    if signedIn { _ = await signIn() }
  }

  /// What the token endpoint gives for a good code.
  static func issued(
    _ token: String = first, kind: String = "DEVICE", user: String = "u1"
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"token":"\(token)","kind":"\(kind)","client_id":"c1","device_id":"d1",
      "user":{"id":"\(user)","email":"ada@example.com","name":"Ada"},
      "tenant":{"id":7,"name":"Works"}}
      """)
  }

  static func me(name: String = "Ada", kind: String = "DEVICE") -> ScriptedHTTP.Answer {
    .json(
      """
      {"user":{"id":"u1","email":"ada@example.com","name":"\(name)"},
      "tenant":{"id":7,"name":"Works"},"auth_kind":"\(kind)","device_id":"d1"}
      """)
  }

  /// Runs a sign-in to its end; the person comes back with a code as soon as the page is there.
  func signIn(
    _ target: SignInTarget = .platrium(server: host, device: device)
  ) async -> Result<AccountID, SignInError> {
    do throws(SignInError) {
      return .success(
        try await base.service.run(target, loopback: false) { [self] step in
          base.steps.record(step)
          guard case .waitingForBrowser(let request) = step else { return }
          let state = Self.query(request)["state"] ?? ""
          #expect(
            base.coordinator.offer("platrium://auth/callback?code=cod-1&state=\(state)")
              == .delivered)
        })
    } catch {
      return .failure(error)
    }
  }

  /// The fields of a page's address.
  static func query(_ request: BrowserRequest?) -> [String: String] {
    let items = request.flatMap { URLComponents(string: $0.url) }?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  /// The pages that were shown.
  var pages: [BrowserRequest] {
    base.steps.values.compactMap {
      if case .waitingForBrowser(let request) = $0 { request } else { nil }
    }
  }

  /// The body of a request, as JSON.
  static func body(_ request: HTTPRequest?) -> JSONValue? {
    guard case .bytes(let bytes) = request?.body else { return nil }
    do {
      return try JSONParser.parse(bytes)
    } catch {
      return nil
    }
  }

  /// What was asked of the service, as `METHOD path`.
  var asked: [String] {
    http.requests.filter { $0.url.host() == Self.host }.map {
      "\($0.method) \($0.url.path().replacing("/api/auth/", with: ""))"
    }
  }

  /// The core that is started next on the same data.
  func restarted() async throws -> AccountService {
    let service = AccountService(
      store: try await base.base.reopenedStore(), drafts: base.base.drafts, http: http.client,
      environment: base.base.environment, configuration: CoreConfiguration(), log: .silent)
    await service.restore()
    return service
  }
}
