import Foundation
import HTTPTransport
import StrictJSON

/// A response to a call, read as the protocol's result or error.
struct ServerAnswer: Sendable {
  private let response: HTTPResponse
  private let secrets: [String]
  private let body: JSONValue?
  private let parseError: JSONParseError?

  init(_ response: HTTPResponse, to request: HTTPRequest) {
    self.response = response
    // A server may echo the token or the proof; neither may reach a log or a screen (FB-A34).
    secrets = ["Authorization", "DPoP"].compactMap { request.headers[$0] }
      .flatMap { $0.split(separator: " ").map(String.init) }
    guard !response.body.isEmpty else {
      body = .none  // `nil` alone would be JSON's null.
      parseError = nil
      return
    }
    do {
      body = try JSONParser.parse(response.body, limits: .document)
      parseError = nil
    } catch {
      body = .none
      parseError = error
    }
  }

  /// The body's `error`.
  var error: String? { body?["error"]?.stringValue.map { clean($0, limit: 80) } }

  /// What the method returned; an empty answer is an empty object.
  func result() throws(XRPCError) -> JSONValue {
    if parseError != nil { throw .decoding("the body is no JSON") }
    return body ?? .object([:])
  }

  /// The error of a failed call.
  func error(for failure: ResponseDecision.Failure, isProxied: Bool) -> XRPCError {
    let message = (body?["message"] ?? body?["error_description"])?.stringValue
    let detail = XRPCError.Detail(
      status: response.status, error: error, message: message.map { clean($0, limit: 300) })
    switch failure {
    case .unauthorized: return .unauthorized(detail)
    case .proofRefused: return .proofRefused(detail)
    case .forbidden: return .forbidden(scope: missingScope(in: detail), detail)
    case .accountState: return .accountState(name: error ?? "", detail)
    case .transient:
      let isUnreachable = isProxied && response.status == 502 && error == "UpstreamFailure"
      return isUnreachable
        ? .serviceUnreachable(detail, retryAfter: retryAfter)
        : .transient(detail, retryAfter: retryAfter)
    case .http:
      let isUnresolved = isProxied && message?.hasPrefix("could not resolve proxy did") == true
      return isUnresolved ? .serviceUnreachable(detail, retryAfter: nil) : .http(detail)
    }
  }

  /// `Missing required scope "repo:a.b.c?action=update"` → the part in quotes.
  private func missingScope(in detail: XRPCError.Detail) -> String? {
    guard let message = detail.message, detail.error == "ScopeMissingError" else { return nil }
    let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.count >= 3 ? String(parts[1]) : nil
  }

  /// `Retry-After`, else the absolute time in `RateLimit-Reset` on a 429 (atproto-wire §10.5).
  private var retryAfter: Duration? {
    if let retryAfter = response.retryAfter { return retryAfter }
    guard
      response.status == 429, let reset = response.headers["RateLimit-Reset"].flatMap(Int.init)
    else { return nil }
    let now = response.date ?? response.receivedAt
    let wait = TimeInterval(reset) - now.timeIntervalSince1970
    return .seconds(min(max(0, wait), HTTPResponse.longestWait))
  }

  private func clean(_ text: String, limit: Int) -> String {
    ServerText.clean(text, hiding: secrets, limit: limit)
  }
}
