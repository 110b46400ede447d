import HTTPServing
import HTTPTransport
import StrictJSON

/// What a developer asks of a running sandbox that no real server would do: faults, ended tokens, the log.
///
/// Every server answers it below ``base``, so that a client in any language can be tested against trouble. Web
/// pages cannot: what they send has an `Origin`, and JSON from them is asked about first.
struct ControlDoor: Sendable {
  static let base = "/_sandbox/"

  let faults: SandboxFaults
  let log: RequestLog
  let tokenService: TokenService
  let pixivService: PixivService

  /// Answers a request below ``base``; it appears in no log.
  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    guard request.headers["Origin"] == nil, request.headers["Sec-Fetch-Site"] == nil else {
      return .text("Not for web pages.\n", status: 403)
    }
    do {
      return try await route(request)
    } catch let refusal as Refusal {
      return .text("\(refusal.words)\n", status: 400)
    } catch {
      return .text("\(error)\n", status: 500)
    }
  }

  private struct Refusal: Error {
    let words: String
  }

  private func route(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    switch (request.method, request.path.dropFirst(Self.base.count)) {
    case ("GET", "requests"): return .json(requests.serialized())
    case ("DELETE", "faults"):
      await faults.clear()
      pixivService.faults.clear()
    case ("POST", "faults"): try await add(try body(request))
    case ("POST", "platrium/revoke"):
      try await tokenService.revokeAll(of: try text("user", of: request))
    case ("POST", "pixiv/expire"):
      try await pixivService.expireAccessTokens(of: try text("account", of: request))
    case ("POST", "pixiv/revoke"):
      try await pixivService.revokeTokens(of: try text("account", of: request))
    case ("POST", "pixiv/ban"):
      let isBanned = try body(request)["banned"]?.boolValue ?? true
      try await pixivService.setBanned(isBanned, account: try text("account", of: request))
    case ("POST", "pixiv/faults"): try switchPixiv(try body(request))
    default: return .text("There is no such control.\n", status: 404)
    }
    return .empty(status: 204)
  }

  private func add(_ body: JSONObject) async throws {
    let server = body["server"]?.stringValue
    let names = SandboxConfiguration.ServerName.allCases.map(\.rawValue)
    if let server, !names.contains(server) {
      throw Refusal(words: "server is one of \(names.joined(separator: ", "))")
    }
    let match = SandboxFaults.Match(
      server: server, method: body["method"]?.stringValue,
      pathPrefix: body["path"]?.stringValue ?? "/", query: body["query"]?.stringValue)
    await faults.add(
      try fault(body), on: match, times: body["times"]?.intValue ?? 1,
      after: body["after"]?.intValue ?? 0)
  }

  private func fault(_ body: JSONObject) throws -> SandboxFault {
    let wait = Duration.milliseconds(body["ms"]?.intValue ?? 1000)
    switch body["fault"]?.stringValue {
    case "lostAnswer": return .lostAnswer
    case "dropBeforeProcessing": return .dropBeforeProcessing
    case "html502": return .html502
    case "truncatedAnswer": return .truncatedAnswer
    case "delay": return .delay(wait)
    case "lateAnswer": return .lateAnswer(wait)
    case "status":
      guard let status = body["status"]?.intValue, (400..<600).contains(status) else {
        throw Refusal(words: "status is a number from 400 to 599")
      }
      return .status(status, retryAfter: body["retryAfter"]?.intValue)
    default:
      throw Refusal(
        words: """
          fault is one of lostAnswer, dropBeforeProcessing, html502, truncatedAnswer, delay, \
          lateAnswer, status
          """)
    }
  }

  private func switchPixiv(_ body: JSONObject) throws {
    let shapes: [String: PixivFaults.AnswerShape] = [
      "both": .both, "top": .top, "nested": .nested,
    ]
    pixivService.faults.set { faults in
      if let blocks = body["blocks"]?.boolValue { faults.blocks = blocks }
      if let status = body["rateLimitStatus"] { faults.rateLimitStatus = status.intValue }
      if let shape = shapes[body["answerShape"]?.stringValue ?? ""] { faults.answerShape = shape }
      if let replaces = body["replacesRefreshToken"]?.boolValue {
        faults.replacesRefreshToken = replaces
      }
      if let leavesOut = body["leavesRefreshTokenOut"]?.boolValue {
        faults.leavesRefreshTokenOut = leavesOut
      }
    }
  }

  private var requests: JSONValue {
    let entries = log.entries.map { entry in
      JSONValue.object([
        "server": .string(entry.server), "method": .string(entry.method),
        "path": .string(entry.path), "status": JSONValue(entry.status),
      ])
    }
    return ["requests": .array(entries)]
  }

  private func text(_ name: String, of request: HTTPServerRequest) throws -> String {
    guard let text = try body(request)[name]?.stringValue, !text.isEmpty else {
      throw Refusal(words: "\(name) is missing")
    }
    return text
  }

  private func body(_ request: HTTPServerRequest) throws -> JSONObject {
    guard request.contentType == "application/json",
      // Whatever is wrong with it, the words are the same.
      let object = try? JSONParser.parse(request.body).objectValue
    else { throw Refusal(words: "send application/json with an object") }
    return object
  }
}
