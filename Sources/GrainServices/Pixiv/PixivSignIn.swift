import Foundation
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PixivOAuth
import SystemClients

/// Signing in with Pixiv, in a web view of the shell's own (X10, X11).
struct PixivSignIn: SignInFlow {
  let source: PixivSource
  let configuration: CoreConfiguration

  /// The answer never leaves the web view: no port is opened.
  func begin(
    _ target: SignInTarget, port: OpenPort?, step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> SignInOpening {
    guard let pixiv = configuration.pixiv else { throw .unavailable(.pixiv, .notConfigured) }
    var wanted: AccountID?
    if case .account(let account) = target { wanted = account }
    let expected = wanted
    let host = pixiv.loginURL.host() ?? ""
    await step(.contacting(host: host))
    let attempt: PixivAttempt
    do throws(CallbackRoute.Invalid) {
      attempt = try PixivAttempt(configuration: pixiv, random: source.random)
    } catch {
      throw .clientUnavailable(host: host, detail: "the redirect is no address")
    }
    return .page(
      OpenPage(
        expected: ExpectedCallback(route: attempt.route, binding: .webView, provider: .pixiv),
        expiresAt: source.clock.now().addingTimeInterval(
          TimeInterval(configuration.times.browserMs) / 1000),
        request: BrowserRequest(
          url: attempt.loginURL.absoluteString, host: host, callback: .shell(attempt.route),
          needsWebView: true),
        redeem: { url async throws(SignInError) in
          try await redeem(url, attempt, pixiv, expected)
        }))
  }

  /// Exchanges the code at once, and once: it lives for half a minute (FB-G2).
  private func redeem(
    _ url: CallbackURL, _ attempt: PixivAttempt, _ pixiv: PixivConfiguration,
    _ expected: AccountID?
  ) async throws(SignInError) -> SignedInAccount {
    guard let code = attempt.code(in: url) else { throw .callbackMismatch }
    let tokens: PixivTokens
    do throws(PixivError) {
      tokens = try await source.exchange(code, of: attempt, pixiv)
    } catch {
      throw SignInError(error, host: pixiv.tokenURL.host() ?? "")
    }
    let account = SignedInAccount(tokens)
    guard expected == nil || expected == account.id else { throw .identityMismatch }
    return account
  }
}

extension SignedInAccount {
  /// What Pixiv has answered.
  init(_ tokens: PixivTokens) {
    self.init(
      id: .pixiv(user: tokens.user.id), handle: tokens.user.account,
      displayName: tokens.user.name, avatar: tokens.user.avatarAddress,
      credentials: tokens.sealed())
  }
}

extension PixivUser {
  /// The picture's address, where it is one that may be shown.
  var avatarAddress: String? { avatar?.scheme == "https" ? avatar?.absoluteString : nil }
}

extension SignInError {
  /// A failed sign-in as Pixiv, or the way there, reports it.
  init(_ error: PixivError, host: String) {
    self =
      switch error {
      case .codeRefused(let detail), .signInRequired(let detail):
        .codeSpent(host: host, detail: detail)
      case .clientRefused: .clientUnavailable(host: host, detail: "invalid_client")
      case .blocked(let status): .blocked(host: host, status: status)
      case .rateLimited(let wait): .remote(.rateLimited(host: host, retryAfter: wait))
      case .refused(let status, let message):
        status >= 500
          ? .remote(.server(host: host, detail: message))
          : .refused(host: host, error: "status \(status)", detail: message)
      case .badAnswer(let status): .remote(RemoteFault(status: status, host: host))
      case .network(.cancelled): .cancelled
      case .network(let error): .remote(RemoteFault(error, host: host))
      case .storeFailed: .store(.unwritable("tokens could not be stored"))
      case .foreignPage: .remote(.badResponse(host: host, detail: nil))
      }
  }
}
