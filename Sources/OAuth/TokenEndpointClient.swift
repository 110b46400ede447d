package import Foundation
package import HTTPTransport
import OpenSSLCrypto
import SystemClients

/// Posts forms to an authorization server's endpoints: pushed authorization, token, revocation.
///
/// Every post carries a DPoP proof without `ath`. A server that wants a (newer) nonce is asked once
/// more with it, one that refuses the proof's time once more with its own clock; anything else is
/// reported (G38–G40, FB-A8).
package struct TokenEndpointClient: Sendable {
  /// The HTTP door.
  package let http: HTTPClient
  /// What this process knows about servers.
  package let environment: DPoPEnvironment

  /// A client over the door.
  package init(http: HTTPClient, environment: DPoPEnvironment) {
    self.http = http
    self.environment = environment
  }

  /// A successful answer, and when its request was sent: expiry counts from there.
  package struct Answer: Sendable {
    /// A response with a 2xx status.
    package let response: HTTPResponse
    /// When the request that was answered began.
    package let sentAt: Date

    /// An answer to a request sent at that time.
    package init(response: HTTPResponse, sentAt: Date) {
      self.response = response
      self.sentAt = sentAt
    }
  }

  /// Posts a form, at most three times.
  ///
  /// - `deadline`: of each request.
  /// - Throws: ``OAuthRequestError`` for everything but a 2xx answer.
  package func post(
    _ fields: [FormField], to url: URL, prover: DPoPProver, deadline: Duration = .seconds(15)
  ) async throws(OAuthRequestError) -> Answer {
    let body = FormURLEncoding.encode(fields.map { ($0.name, $0.value.revealText()) })
    let secrets = fields.filter(\.isSecret).map(\.value)
    var mayFollowNonce = true
    var mayFollowClock = true
    while true {
      var request = HTTPRequest(method: "POST", url: url, body: .bytes(body), deadline: deadline)
      request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      request.headers["Accept"] = "application/json"
      let usedNonce = try sign(&request, prover)
      let sentAt = environment.clock.now()
      let response = try await send(request)
      let newNonce = environment.nonces.learn(from: response, url: url)
      if (200..<300).contains(response.status) { return Answer(response: response, sentAt: sentAt) }

      let error = OAuthErrorBody(response, hiding: secrets)
      switch error?.error {
      case "use_dpop_nonce" where mayFollowNonce && newNonce != nil && newNonce != usedNonce:
        mayFollowNonce = false
      case "invalid_dpop_proof" where mayFollowClock:
        mayFollowClock = false
        environment.clocks.correct(from: response, url: url)
      default:
        throw .answered(
          status: response.status, error: error, retryAfter: response.retryAfter)
      }
    }
  }

  private func sign(
    _ request: inout HTTPRequest, _ prover: DPoPProver
  ) throws(OAuthRequestError) -> String? {
    do {
      return try environment.sign(&request, prover: prover)
    } catch {
      throw .unsignable
    }
  }

  private func send(_ request: HTTPRequest) async throws(OAuthRequestError) -> HTTPResponse {
    do {
      return try await http.send(request)
    } catch {
      throw .transport(error)
    }
  }
}
