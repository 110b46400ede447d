import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON

/// The endpoints below `/api/auth` (P34–P41, grain-product §18).
struct TokenServiceAPI: Sendable {
  static let base = "/api/auth"

  let service: TokenServiceContext

  /// Answers any request below ``base``.
  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    do {
      return try await route(request)
    } catch let refusal as TokenServiceRefusal {
      return refusal.response
    } catch {
      return TokenServiceRefusal(500, "internal", "Something went wrong here.").response
    }
  }

  private func route(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let path = request.path.dropFirst(Self.base.count)
    switch (request.method, path) {
    case ("POST", "/authorize"): return try await authorize(request)
    case ("POST", "/token"): return try await token(request)
    case ("GET", "/me"): return try await me(request)
    case ("GET", "/clients"): return try await list(request)
    case ("POST", "/clients"): return try await make(request)
    case ("PUT", "/device/push"): return try await setPush(request)
    case ("DELETE", "/device/push"):
      try await service.store.setPush(nil, device: device(of: request))
      return .empty(status: 204)
    case ("POST", "/logout"): return try await logOut(request)
    case ("DELETE", _) where path.hasPrefix("/clients/"):
      return try await revoke(String(path.dropFirst("/clients/".count)), request)
    default: throw TokenServiceRefusal.notFound
    }
  }

  // MARK: Getting a token

  /// The person's answer, from the consent page's form or from a script of the page (P13, P34).
  private func authorize(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    guard request.contentType == FormURLEncoding.mediaType else {
      let user = try await service.browser(of: request)
      try service.checkOrigin(request)
      let body = try Self.body(request)
      let question = try ClientQuestion(
        { body[$0]?.stringValue }, redirects: service.redirects)
      return .platrium(["redirect": .string(try await yes(question, user))])
    }
    guard request.headers["Authorization"] == nil else {
      _ = try await service.caller(of: request)
      throw TokenServiceRefusal.tokenCannot
    }
    return await TokenServicePages(service: service).decide(request, yes: yes)
  }

  private func yes(_ question: ClientQuestion, _ user: TokenServiceUser) async throws -> String {
    let code = try await service.newCode(question, user: user.id)
    return NativeRedirects.adding(
      [("code", code), ("state", question.state)], to: question.redirectURI)
  }

  private func token(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    if let wait = service.allowance.refusal(request.peer, now: service.now) {
      throw TokenServiceRefusal(
        429, "rate_limited", "Too many requests. Wait \(wait) seconds.", retryAfter: wait)
    }
    let body = try Self.body(request)
    func text(_ name: String) throws(TokenServiceRefusal) -> String {
      guard let text = body[name]?.stringValue, !text.isEmpty else { throw .missing(name) }
      return text
    }
    let code = try text("code")
    // A code that was sent is burned, whatever is wrong with the rest (P18).
    let (client, user) = try await service.redeem(
      code: code, verifier: body["code_verifier"]?.stringValue ?? "",
      redirectURI: body["redirect_uri"]?.stringValue ?? "")
    var answer: JSONObject = [
      "token": .string(client.token),
      "kind": .string((client.device == nil ? TokenServiceClient.Kind.app : .device).rawValue),
      "client_id": .string(client.id),
    ]
    answer["device_id"] = (client.device?.id).map(JSONValue.string)
    answer["user"] = Self.user(user)
    answer["tenant"] = Self.tenant(user)
    return .platrium(answer)
  }

  // MARK: Using one

  private func me(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let caller = try await service.caller(of: request)
    var answer: JSONObject = [
      "user": Self.user(caller.user), "tenant": Self.tenant(caller.user),
      "auth_kind": .string(caller.kind),
    ]
    answer["device_id"] = (caller.client?.device).map(JSONValue.string)
    return .platrium(answer)
  }

  private func list(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let caller = try await service.caller(of: request)
    let clients = try await service.store.clients(of: caller.user.id).map { client in
      JSONValue.object(client.json(isCurrent: client.id == caller.client?.id))
    }
    return .platrium(["clients": .array(clients)])
  }

  private func make(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let user = try await service.browser(of: request)
    try service.checkOrigin(request)
    guard let name = try Self.body(request)["name"]?.stringValue, !name.isEmpty else {
      throw TokenServiceRefusal.missing("name")
    }
    guard name.utf8.count <= 100 else { throw TokenServiceRefusal.invalid("name") }
    let made = try await service.newClient(for: user, name: name)
    let entry = try await service.store.clients(of: user.id).first { $0.id == made.id }
    return .platrium(
      [
        "client": .object(entry?.json(isCurrent: false) ?? [:]), "token": .string(made.token),
      ], status: 201)
  }

  private func revoke(
    _ id: String, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let caller = try await service.caller(of: request)
    if caller.client == nil { try service.checkOrigin(request) }
    guard let id = id.removingPercentEncoding,
      try await service.store.deleteClient(id, of: caller.user.id)
    else { throw TokenServiceRefusal.notFound }
    return .empty(status: 204)
  }

  private func setPush(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let device = try await device(of: request)
    let body = try Self.body(request)
    guard let transport = body["transport"]?.stringValue, ["APNS", "FCM"].contains(transport)
    else { throw TokenServiceRefusal.invalid("transport") }
    guard let token = body["token"]?.stringValue, !token.isEmpty, token.utf8.count <= 4096 else {
      throw TokenServiceRefusal.invalid("token")
    }
    try await service.store.setPush((transport, token), device: device)
    return .empty(status: 204)
  }

  /// The device whose token it is: a client can set only its own (P44), and an app has none (P7).
  private func device(of request: HTTPServerRequest) async throws -> String {
    guard let device = try await service.caller(of: request).client?.device else {
      throw TokenServiceRefusal.notADevice
    }
    return device
  }

  private func logOut(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    var response = HTTPServerResponse.empty(status: 204)
    switch try await service.caller(of: request) {
    case .token(let user, let client):
      _ = try await service.store.deleteClient(client.id, of: user.id)
    case .session(_, let cookie):
      try service.checkOrigin(request)
      try await service.store.deleteSession(cookie)
      response.headers["Set-Cookie"] = service.setting(nil)
    }
    return response
  }

  // MARK: Bodies

  private static func body(
    _ request: HTTPServerRequest
  ) throws(TokenServiceRefusal) -> JSONObject {
    guard request.contentType == "application/json" else { throw .notJSON }
    do {
      guard let object = try JSONParser.parse(request.body).objectValue else {
        throw TokenServiceRefusal.invalid("The body")
      }
      return object
    } catch {
      throw .invalid("The body")
    }
  }

  private static func user(_ user: TokenServiceUser) -> JSONValue {
    ["id": .string(user.id), "email": .string(user.email), "name": .string(user.name)]
  }

  private static func tenant(_ user: TokenServiceUser) -> JSONValue {
    ["id": .string(user.tenantID), "name": .string(user.tenantName)]
  }
}
