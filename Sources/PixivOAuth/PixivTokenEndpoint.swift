package import HTTPTransport
import OAuth
package import OpenSSLCrypto
package import SystemClients

/// The token endpoint, for both grants (X5).
package struct PixivTokenEndpoint: Sendable {
  private let configuration: PixivConfiguration
  private let http: HTTPClient
  private let headers: PixivHeaders

  /// An endpoint that was not asked yet.
  package init(configuration: PixivConfiguration, http: HTTPClient, clock: SystemClock) {
    self.configuration = configuration
    self.http = http
    headers = PixivHeaders(configuration: configuration, clock: clock)
  }

  /// Exchanges a code, at once and once: it lives for about half a minute (FB-G2).
  package func exchange(
    code: Secret, of attempt: PixivAttempt
  ) async throws(PixivError) -> PixivTokens {
    let (code, verifier) = (code.revealText(), attempt.pkce.verifier.revealText())
    let answer = try await post(
      [
        ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
        ("redirect_uri", configuration.redirectURI),
      ], hiding: [code, verifier])
    if let tokens = tokens(answer, before: nil) { return tokens }
    throw refusal(answer) { .codeRefused($0) }
  }

  /// Exchanges a refresh token; what the answer leaves out stays as it was.
  package func refresh(_ tokens: PixivTokens) async throws(PixivError) -> PixivTokens {
    let token = tokens.refreshToken.revealText()
    let answer = try await post(
      [("grant_type", "refresh_token"), ("refresh_token", token)], hiding: [token])
    if let new = self.tokens(answer, before: tokens) { return new }
    throw refusal(answer) { .signInRequired($0) }
  }

  private func tokens(_ answer: PixivAnswer, before: PixivTokens?) -> PixivTokens? {
    guard answer.isSuccess, let json = answer.json else { return nil }
    return PixivTokens(json, receivedAt: headers.clock.now(), before: before)
  }

  /// 401, `invalid_grant` or code 1508 say that the grant is gone; `invalid_client` is our configuration;
  /// any other 400 says nothing about the grant (FB-G1, FB-G6).
  private func refusal(_ answer: PixivAnswer, _ ended: (String?) -> PixivError) -> PixivError {
    if let error = answer.commonError { return error }
    if answer.oauthError == "invalid_client" { return .clientRefused }
    let saysSo = answer.oauthError == "invalid_grant" || answer.systemCode == 1508
    if answer.response.status == 401 || (answer.response.status == 400 && saysSo) {
      return ended(answer.message)
    }
    if answer.isSuccess || answer.json == nil {
      return .badAnswer(status: answer.response.status)
    }
    return .refused(status: answer.response.status, message: answer.message)
  }

  private func post(
    _ fields: [(String, String)], hiding secrets: [String]
  ) async throws(PixivError) -> PixivAnswer {
    let clientSecret = configuration.clientSecret.revealText()
    var request = HTTPRequest(
      method: "POST", url: configuration.tokenURL, headers: headers.fields())
    request.headers["Content-Type"] = "application/x-www-form-urlencoded"
    request.body = .bytes(
      FormURLEncoding.encode(
        [
          ("client_id", configuration.clientID), ("client_secret", clientSecret),
          ("include_policy", "true"),
        ] + fields))
    do throws(HTTPError) {
      return PixivAnswer(try await http.send(request), hiding: secrets + [clientSecret])
    } catch {
      throw .network(error)
    }
  }
}
