import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto

/// What a person meets in a browser: a login, the question whether a client may act for them, and the list
/// of devices and apps. They need no script, and a reload repeats nothing.
struct TokenServicePages: Sendable {
  static let question = "/authorize"
  static let login = "/login"
  static let list = "/devices"

  let service: TokenServiceContext

  /// Answers every request that is not the API's.
  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    await page {
      switch (request.method, request.path) {
      case ("GET", "/"): return .redirect(to: Self.list)
      case ("GET", Self.question): return try await ask(request)
      case ("GET", Self.login): return try await askWho(request)
      case ("POST", Self.login): return try await logIn(request)
      case ("POST", "/logout"): return try await logOut(request)
      case ("GET", Self.list): return try await showList(request)
      case ("POST", "/devices/create"): return try await create(request)
      case ("POST", "/devices/revoke"): return try await revoke(request)
      default: throw TokenServiceRefusal.notFound
      }
    }
  }

  /// The person's yes or no, sent by the form of the consent page. `yes` gives back where the browser goes
  /// with the code.
  func decide(
    _ request: HTTPServerRequest,
    yes: (ClientQuestion, TokenServiceUser) async throws -> String
  ) async -> HTTPServerResponse {
    await page {
      let form = try await form(request)
      let question = try ClientQuestion(form.field, redirects: service.redirects)
      // The session may have ended while the page was open; the question stays.
      guard let session = try await service.session(of: request) else {
        return toLogin(Self.target(Self.question, question.fields))
      }
      guard form.field("decision") == "allow" else {
        return leave(
          NativeRedirects.adding(
            [("error", "access_denied"), ("state", question.state)], to: question.redirectURI))
      }
      return leave(try await yes(question, session.user))
    }
  }

  // MARK: The question

  private func ask(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let fields = request.query
    // What cannot be answered is said before anybody logs in for it (P23).
    let question = try ClientQuestion(
      { name in fields.last { $0.0 == name }?.1 }, redirects: service.redirects)
    guard let session = try await service.session(of: request) else {
      return toLogin(request.target)
    }
    return ServiceConsentPage(
      host: service.host, question: question, user: session.user,
      formToken: service.formToken(session.cookie),
      otherAccount: Self.target(Self.login, [("next", request.target)])
    ).response()
  }

  // MARK: Login

  private func askWho(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let (cookie, isNew) = try await service.browserCookie(request)
    var response = ServiceLoginPage(
      host: service.host, next: Self.next(request.query.last { $0.0 == "next" }?.1),
      formToken: service.formToken(cookie)
    ).response()
    if isNew { response.headers["Set-Cookie"] = service.setting(cookie) }
    return response
  }

  private func logIn(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let form = try await form(request)
    let next = Self.next(form.field("next"))
    guard
      let user = try await service.store.user(
        email: (form.field("email") ?? "").trimmingCharacters(in: .whitespaces),
        password: form.field("password") ?? "")
    else {
      var page = ServiceLoginPage(
        host: service.host, next: next, formToken: service.formToken(form.cookie))
      page.email = form.field("email") ?? ""
      page.problem = "Wrong e-mail or password. Check both and try again."
      return page.response(status: 400)
    }
    // A cookie that somebody else may have planted stands for nobody any more.
    try await service.store.deleteSession(form.cookie)
    var response = HTTPServerResponse.redirect(to: next)
    response.headers["Set-Cookie"] = service.setting(try await service.newCookie(user: user.id))
    return response
  }

  private func logOut(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    try await service.store.deleteSession(try await form(request).cookie)
    var response = HTTPServerResponse.redirect(to: Self.list)
    response.headers["Set-Cookie"] = service.setting(nil)
    return response
  }

  private func toLogin(_ next: String) -> HTTPServerResponse {
    .redirect(to: Self.target(Self.login, [("next", next)]))
  }

  /// Where a login leads: to the question it interrupted (P12), else to the list; never to another site.
  private static func next(_ text: String?) -> String {
    guard let text, text.hasPrefix("\(question)?") || text == list,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return list }
    return text
  }

  // MARK: Devices and apps

  private func showList(
    _ request: HTTPServerRequest, new: NewClient? = nil
  ) async throws -> HTTPServerResponse {
    guard let session = try await service.session(of: request) else { return toLogin(Self.list) }
    return ServiceListPage(
      host: service.host, user: session.user,
      clients: try await service.store.clients(of: session.user.id), new: new,
      formToken: service.formToken(session.cookie)
    ).response()
  }

  /// Makes an app's token by hand, shown on this one page (P5, P25, P37).
  private func create(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let form = try await form(request)
    guard let session = try await service.session(of: request) else { return toLogin(Self.list) }
    guard let name = form.field("name"), !name.isEmpty, name.utf8.count <= 100 else {
      throw TokenServiceRefusal.invalid("name")
    }
    return try await showList(
      request, new: try await service.newClient(for: session.user, name: name))
  }

  private func revoke(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let form = try await form(request)
    guard let session = try await service.session(of: request) else { return toLogin(Self.list) }
    // One that is gone already is as the person wanted it.
    _ = try await service.store.deleteClient(
      form.field("client") ?? "", of: session.user.id)
    return .redirect(to: Self.list)
  }

  // MARK: Forms

  private struct SentForm {
    let cookie: String
    let fields: [(String, String)]

    func field(_ name: String) -> String? { fields.last { $0.0 == name }?.1 }
  }

  /// The form of a request, if this service served it to this browser.
  private func form(_ request: HTTPServerRequest) async throws -> SentForm {
    try service.checkOrigin(request)
    let (cookie, isNew) = try await service.browserCookie(request)
    let fields = FormURLEncoding.decode(request.body) ?? []
    let form = SentForm(cookie: cookie, fields: fields)
    guard request.contentType == FormURLEncoding.mediaType, !isNew,
      ConstantTime.equal(form.field("csrf_token") ?? "", service.formToken(cookie))
    else { throw TokenServiceRefusal.foreignForm }
    return form
  }

  private func page(
    _ answer: () async throws -> HTTPServerResponse
  ) async -> HTTPServerResponse {
    do {
      return try await answer()
    } catch let refusal as TokenServiceRefusal {
      return ServiceErrorPage(host: service.host, refusal: refusal).response
    } catch {
      let refusal = TokenServiceRefusal(500, "internal", "Something went wrong here.")
      return ServiceErrorPage(host: service.host, refusal: refusal).response
    }
  }

  /// Away from here, with something that is nobody else's business.
  private func leave(_ location: String) -> HTTPServerResponse {
    var response = HTTPServerResponse.redirect(to: location)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
  }

  private static func target(_ path: String, _ fields: [(String, String)]) -> String {
    "\(path)?\(FormURLEncoding.encodeText(fields))"
  }
}
