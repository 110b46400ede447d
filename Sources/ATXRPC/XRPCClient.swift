package import ATSyntax
package import Foundation
package import HTTPTransport
package import StrictJSON

/// Calls methods at one server: an account's home server when an authorization is given, else the app
/// server without any credentials (G33, G42).
///
/// Repeats a call only where the server refused it, at most to four requests in all; see
/// ``ResponseDecision``. Everything else is the caller's, who alone knows what may be repeated.
package struct XRPCClient: Sendable {
  /// The server's origin. Calls never leave it: a token is shown to nobody else.
  package let base: URL
  private let http: HTTPClient
  private let authorization: XRPCAuthorization?
  private let proxy: String?
  private let deadline: Duration

  /// A client of a server.
  ///
  /// - `authorization`: of the account all calls are made for; `nil` for calls without credentials.
  /// - `proxy`: for whom the home server passes calls on (`did#service`), in `atproto-proxy`.
  /// - `deadline`: of each request but uploads.
  package init(
    base: URL, http: HTTPClient, authorization: XRPCAuthorization? = nil, proxy: String? = nil,
    deadline: Duration = .seconds(15)
  ) {
    self.base = base
    self.http = http
    self.authorization = authorization
    self.proxy = proxy
    self.deadline = deadline
  }

  /// Reads.
  package func query(
    _ method: NSID, _ parameters: XRPCParameters = [:]
  ) async throws(XRPCError) -> JSONValue {
    try await call(method, request(for: method, parameters: parameters))
  }

  /// Acts, with a JSON body or, for methods that take none, without.
  package func procedure(
    _ method: NSID, _ input: JSONValue? = nil
  ) async throws(XRPCError) -> JSONValue {
    var request = try request(for: method, parameters: [:])
    request.method = "POST"
    if let input {
      request.headers["Content-Type"] = "application/json"
      request.body = .bytes(input.serialized())
    }
    return try await call(method, request)
  }

  /// Uploads a file's bytes as a blob; the file is read as it is sent, once for each request.
  ///
  /// - `contentType`: the bytes' media type; sent in lower case, as scopes are matched.
  /// - `deadline`: of each request.
  /// - `progress`: told how many bytes are out; starts again when the upload has to be repeated.
  /// - Returns: the blob object, to be put into a record unchanged.
  package func uploadBlob(
    file path: String, contentType: String, deadline: Duration = .seconds(120),
    progress: (@Sendable (Int64) -> Void)? = nil
  ) async throws(XRPCError) -> JSONValue {
    let method = Self.uploadBlob
    var request = try request(for: method, parameters: [:])
    request.method = "POST"
    request.headers["Content-Type"] = contentType.lowercased()
    request.body = .file(path: path)
    request.deadline = deadline
    let answer = try await call(method, request, progress: progress)
    guard let blob = answer["blob"], blob["$type"] == "blob", blob["ref"]?["$link"] != nil else {
      throw .decoding("blob")
    }
    return blob
  }

  private static let uploadBlob = NSID.known("com.atproto.repo.uploadBlob")

  // MARK: One call

  private func call(
    _ method: NSID, _ request: HTTPRequest, progress: (@Sendable (Int64) -> Void)? = nil
  ) async throws(XRPCError) -> JSONValue {
    var budget = CallBudget()
    while true {
      var signed: XRPCAuthorization.Signed?
      if let authorization { signed = try await authorization.sign(request) }
      let sent = signed?.request ?? request
      let response: HTTPResponse
      do throws(XRPCError) {
        response = try await send(sent, progress: progress)
      } catch .transport(.connectionLost) where sent.method == "GET" && budget.spendConnection() {
        // Most likely a kept connection that the server closed in that moment: a read may be asked
        // for again, with a proof of its own.
        continue
      }
      let newNonce = authorization?.learn(response, request.url)
      let answer = ServerAnswer(response, to: sent)
      let facts = ResponseFacts(
        status: response.status, error: answer.error,
        challenge: AuthenticationChallenge.dpopError(in: response.headers),
        hasNewNonce: newNonce != nil && newNonce != signed?.nonce, isSigned: signed != nil,
        tokenChanged: await hasChanged(signed?.token))
      switch ResponseDecision.after(facts, budget: &budget) {
      case .accept: return try answer.result()
      case .resendWithNonce, .resendWithCurrentToken: continue
      case .resendWithClock: authorization?.correctClock(response, request.url)
      case .refreshAndResend:
        if let authorization, let signed { try await authorization.refresh(signed.token) }
      case .fail(let failure): throw answer.error(for: failure, isProxied: isProxied(method))
      }
    }
  }

  private func hasChanged(_ token: XRPCAuthorization.TokenTag?) async -> Bool {
    guard let authorization, let token else { return false }
    return await authorization.currentToken() != token
  }

  private func send(
    _ request: HTTPRequest, progress: (@Sendable (Int64) -> Void)?
  ) async throws(XRPCError) -> HTTPResponse {
    do {
      return try await http.send(request, progress)
    } catch {
      throw .transport(error)
    }
  }

  // MARK: One request

  private func request(
    for method: NSID, parameters: XRPCParameters
  ) throws(XRPCError) -> HTTPRequest {
    let query = parameters.encoded.map { "?\($0)" } ?? ""
    guard
      let origin = base.origin,
      let url = URL(string: "\(origin)/xrpc/\(method.rawValue)\(query)")
    else { throw .transport(.invalidURL) }
    var request = HTTPRequest(
      method: "GET", url: url, headers: ["Accept": "application/json"], deadline: deadline,
      maximumBodyBytes: 8 << 20)
    if isProxied(method), let proxy { request.headers["atproto-proxy"] = proxy }
    return request
  }

  /// Whether the home server passes a call on: every method but atproto's own, which it answers
  /// itself (G36, G37). Without credentials there is nobody to pass it on for.
  private func isProxied(_ method: NSID) -> Bool {
    authorization != nil && proxy != nil && !method.rawValue.lowercased().hasPrefix("com.atproto.")
  }
}

extension NSID {
  /// A method's name that stands in this program's text.
  fileprivate static func known(_ text: String) -> NSID {
    do {
      return try NSID(text)
    } catch {
      preconditionFailure("\(text) is no NSID")
    }
  }
}
