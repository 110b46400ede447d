import Foundation
import HTTPServing
import HTTPTransport
import JOSE
import SystemClients

/// The pages of a sign-in: a login, and the way through look-alike addresses to the one a web view catches
/// (X10, FB-G3).
struct PixivPages: Sendable {
  static let begin = "/web/v1/login"
  static let login = "/login"
  static let postRedirect = "/post-redirect"
  static let start = "/web/v1/users/auth/pixiv/start"
  static let callback = "/web/v1/users/auth/pixiv/callback"

  let service: PixivServiceContext

  /// `nil` when the path is no page's.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerResponse? {
    func field(_ name: String) -> String { request.query.last { $0.0 == name }?.1 ?? "" }
    switch (request.method, request.path) {
    case ("GET", Self.begin): return begin(field)
    case ("GET", Self.login): return try await showLogin(request, back: field("return_to"))
    case ("POST", Self.login): return try await logIn(request)
    case ("GET", Self.postRedirect): return toStart(field("return_to"))
    case ("GET", Self.start): return try await end(request, challenge: field("code_challenge"))
    case ("GET", Self.callback):
      return leave("pixiv://account/login", [("code", field("code")), ("via", "login")])
    default: return nil
    }
  }

  private func begin(_ field: (String) -> String) -> HTTPServerResponse {
    let challenge = field("code_challenge")
    guard challenge.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil,
      field("code_challenge_method") == "S256", !field("client").isEmpty
    else { return page("Error", "<h1>The request is not valid</h1>", status: 400) }
    let start = Self.target(
      Self.start,
      [
        ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ("client", field("client")), ("via", "login"),
      ])
    return .redirect(to: Self.target(Self.login, [("return_to", start)]), status: 302)
  }

  // MARK: Login

  private func showLogin(
    _ request: HTTPServerRequest, back: String, problem: String? = nil
  ) async throws -> HTTPServerResponse {
    let known = try await session(request)
    let goOn = known.map { user in
      """
      <p><a href="\(HTML.escape(Self.target(Self.postRedirect, [("return_to", back)])))"
        >Continue as \(HTML.escape(user.name))</a></p>
      <div class="or">or use another account</div>
      """
    }
    let alert = problem.map { "<p class=\"problem\" role=\"alert\">\(HTML.escape($0))</p>" }
    return page(
      "Log in",
      """
      <div class="tile" aria-hidden="true">P</div>
      <h1>Log in</h1>
      \(alert ?? "")\(goOn ?? "")
      <form method="post" action="\(Self.login)">
      \(HTML.hidden("return_to", back))
      <label class="field"><span>Account</span>
      <input type="text" name="account" required autocomplete="username" autocapitalize="none"
        spellcheck="false" placeholder="alice" autofocus></label>
      <label class="field"><span>Password</span>
      <input type="password" name="password" required autocomplete="current-password"></label>
      <div class="buttons"><button type="submit">Log in</button></div>
      </form>
      """, status: problem == nil ? 200 : 400)
  }

  private func logIn(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    guard (request.headers["Origin"] ?? service.origin) == service.origin else {
      return page("Error", "<h1>This form is not ours</h1>", status: 403)
    }
    let fields = FormURLEncoding.decode(request.body) ?? []
    func field(_ name: String) -> String { fields.last { $0.0 == name }?.1 ?? "" }
    guard
      let user = try await service.store.user(
        account: field("account"), password: field("password"))
    else {
      return try await showLogin(
        request, back: field("return_to"), problem: "Wrong account or password.")
    }
    let cookie = Canary.marker + Hex.text(service.random.bytes(24))
    try await service.store.insertSession(cookie, user: user.id)
    var response = HTTPServerResponse.redirect(
      to: Self.target(Self.postRedirect, [("return_to", field("return_to"))]))
    let secure = service.origin.hasPrefix("https:") ? "; Secure" : ""
    response.headers["Set-Cookie"] =
      "\(cookieName)=\(cookie); Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax\(secure)"
    return response
  }

  private func toStart(_ back: String) -> HTTPServerResponse {
    guard back.hasPrefix("\(Self.start)?"), back.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return page("Error", "<h1>There is nowhere to go on</h1>", status: 400) }
    return .redirect(to: back, status: 302)
  }

  // MARK: The end

  /// Somebody is logged in: a code, good for half a minute, on its way to the web view.
  private func end(
    _ request: HTTPServerRequest, challenge: String
  ) async throws -> HTTPServerResponse {
    guard let user = try await session(request) else {
      return .redirect(to: Self.target(Self.login, [("return_to", request.target)]), status: 302)
    }
    let code = Canary.marker + Base64URL.encode(service.random.bytes(24))
    try await service.store.insertCode(
      code, user: user.id, challenge: challenge, until: service.after(service.settings.codeLife))
    return leave(Self.callback, [("code", code)])
  }

  private func leave(_ place: String, _ fields: [(String, String)]) -> HTTPServerResponse {
    var response = HTTPServerResponse.redirect(to: Self.target(place, fields), status: 302)
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  private func session(_ request: HTTPServerRequest) async throws -> PixivServiceUser? {
    guard let cookie = request.cookies[cookieName] else { return nil }
    return try await service.store.session(cookie)
  }

  private var cookieName: String {
    URL(string: service.origin)?.port.map { "pixiv-\($0)" } ?? "pixiv"
  }

  private func page(_ title: String, _ content: String, status: Int) -> HTTPServerResponse {
    ServicePage.frame(service.host, title: title, content, status: status)
  }

  private static func target(_ path: String, _ fields: [(String, String)]) -> String {
    "\(path)?\(FormURLEncoding.encodeText(fields))"
  }
}
