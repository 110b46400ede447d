import ATSyntax
import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto

/// The pages a person meets between the client's request and its answer.
///
/// They need no script: each step is a form, each form ends in a redirect to the page itself, so a
/// reload repeats nothing. Which page is shown follows from what is stored: nobody signed in yet,
/// or somebody who still has to allow the client.
struct AuthorizePages: Sendable {
  static let path = "/oauth/authorize"

  let server: AuthorizationContext

  /// Answers any request below `/oauth/authorize`.
  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    do {
      switch (request.method, request.path.dropFirst(Self.path.count)) {
      case ("GET", ""): return try await show(request)
      case ("POST", "/sign-in"): return try await act(request, signIn)
      case ("POST", "/continue"): return try await act(request, continueAs)
      case ("POST", "/sign-up"): return try await act(request, signUp)
      case ("POST", "/decide"): return try await act(request, decide)
      default: return OAuthAnswer.notFound(method: request.method, path: request.path)
      }
    } catch let refusal as OAuthRefusal {
      return ErrorPage(refusal: refusal).response
    } catch let denial as RequestDenial {
      return redirect(denial.parameters).refused("access_denied", denial.reason)
    } catch {
      return ErrorPage(refusal: .serverError).response
    }
  }

  // MARK: Steps

  /// A request in the browser: everything a page or a form works with.
  private struct Visit {
    let request: AuthorizationRequest
    let client: ClientDocument
    let device: Device
    let formToken: String
    let fields: [String: [String]]

    func field(_ name: String) -> String { fields[name]?.last ?? "" }
  }

  private func show(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    try NavigationRules.check(request, .opening, issuer: server.issuer)
    let device = try await DeviceCookies(server: server).load(request)
    let visit = try await visit(request.query, device: device)
    return try await page(visit).setting(device)
  }

  private func act(
    _ request: HTTPServerRequest, _ step: (Visit) async throws -> HTTPServerResponse
  ) async throws -> HTTPServerResponse {
    try NavigationRules.check(request, .form, issuer: server.issuer)
    guard let pairs = FormURLEncoding.decode(request.body) else {
      throw OAuthRefusal.invalidRequest("Invalid URL-encoded body")
    }
    let device = try await DeviceCookies(server: server).load(request)
    let token = try await DeviceCookies(server: server).formToken(
      device, request: pairs.last { $0.0 == "request_uri" }?.1 ?? "")
    let sent = pairs.last { $0.0 == "csrf_token" }?.1 ?? ""
    guard ConstantTime.equal(Array(sent.utf8), Array(token.utf8)) else {
      throw OAuthRefusal(status: 403, error: "invalid_request", description: "Invalid CSRF token")
    }
    return try await step(visit(pairs, device: device)).setting(device)
  }

  private func visit(_ pairs: [(String, String)], device: Device) async throws -> Visit {
    let fields = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
    guard let clientID = fields["client_id"]?.last, !clientID.isEmpty else {
      throw OAuthRefusal.invalidRequest("Invalid client credentials: Required at query.client_id")
    }
    guard let uri = fields["request_uri"]?.last else {
      throw OAuthRefusal.invalidRequest(
        "Invalid request parameters: Required at query.request_uri")
    }
    guard let id = RequestURI.id(uri) else {
      throw OAuthRefusal.invalidRequest("Invalid request_uri format")
    }
    let client = try await server.clients.client(clientID)
    let now = server.now
    let until = now.addingTimeInterval(server.lifetimes.request.seconds)
    let opened = try await server.store.openRequest(
      id: id, device: device.id, clientID: clientID, until: until, now: now)
    guard let opened else { throw OAuthRefusal.invalidRequest("Unknown request_uri") }
    let token = try await DeviceCookies(server: server).formToken(device, request: uri)
    return Visit(
      request: opened, client: client, device: device, formToken: token, fields: fields)
  }

  // MARK: Pages

  private func page(_ visit: Visit) async throws -> HTTPServerResponse {
    if visit.request.parameters.prompt == "none" { return try await refuseSilence(visit) }
    let view = visit.field("view")
    if view.isEmpty, let account = try await signedIn(visit) {
      guard account.status == .active else { return try await deny(visit, account) }
      return consentPage(visit, account).response()
    }
    let startsWithCreation = visit.request.parameters.prompt == "create"
    if view == "create" || (view.isEmpty && startsWithCreation) {
      return createPage(visit).response()
    }
    return try await signInPage(visit).response()
  }

  /// A confidential client wants an answer without a page; consent is never remembered here, so
  /// the answer is always that somebody has to be asked.
  private func refuseSilence(_ visit: Visit) async throws -> HTTPServerResponse {
    let isSignedIn = try await signedIn(visit) != nil
    try await server.store.deleteRequest(id: visit.request.id)
    return isSignedIn
      ? redirect(visit.request.parameters).refused("consent_required", "User consent required")
      : redirect(visit.request.parameters).refused("login_required", "Login is required")
  }

  private func frame(_ visit: Visit) -> PageFrame {
    PageFrame(
      client: visit.client, clientIsAt: visit.request.parameters.redirectURI,
      server: server.issuer, requestURI: RequestURI.text(id: visit.request.id),
      formToken: visit.formToken)
  }

  private func signInPage(_ visit: Visit) async throws -> SignInPage {
    var remembered: [SandboxAccount] = []
    let known = try await server.store.rememberedSignIns(
      device: visit.device.id, now: server.now)
    for did in known {
      if let account = await server.accounts.account(did) { remembered.append(account) }
    }
    return SignInPage(
      frame: frame(visit), identifier: visit.request.parameters.loginHint ?? "",
      remembered: remembered)
  }

  private func createPage(_ visit: Visit) -> CreateAccountPage {
    CreateAccountPage(frame: frame(visit), domain: server.accounts.handleDomains.first ?? "")
  }

  private func consentPage(_ visit: Visit, _ account: SandboxAccount) -> ConsentPage {
    let items = server.permissionSets.expanded(visit.request.parameters.scope)
    return ConsentPage(
      frame: frame(visit), account: account,
      permissions: visit.request.parameters.scope.map { item in
        ConsentPage.Permission(
          item: item, text: PermissionText(item),
          isOptional: isOptional(item, among: visit.request.parameters.scope))
      }, hasSets: items != visit.request.parameters.scope)
  }

  private func isOptional(_ item: String, among items: [String]) -> Bool {
    switch server.settings.consentChoices {
    case .everyItem: item != "atproto"
    case .asReference:
      item.hasPrefix("account:email") && !items.contains { $0.hasPrefix("transition:") }
    }
  }

  /// Who this visit is signed in as: for this very request, or remembered and hinted at.
  private func signedIn(_ visit: Visit) async throws -> SandboxAccount? {
    let device = visit.device.id
    if let did = try await server.store.signedIn(device: device, request: visit.request.id) {
      return await server.accounts.account(did)
    }
    // Who wants a new account is not whoever was here before.
    guard visit.request.parameters.prompt != "create",
      let hint = visit.request.parameters.loginHint,
      let hinted = await server.accounts.account(hint)
    else { return nil }
    let remembered = try await server.store.rememberedSignIns(
      device: device, now: server.now)
    return remembered.contains(hinted.did.rawValue) ? hinted : nil
  }

  // MARK: Forms

  private func signIn(_ visit: Visit) async throws -> HTTPServerResponse {
    let typed = visit.field("identifier")
    func again(_ problem: String) async throws -> HTTPServerResponse {
      var page = try await signInPage(visit)
      page.identifier = typed
      page.problem = problem
      return page.response(status: 400)
    }
    let name = AccountName.normal(typed, domain: server.accounts.handleDomains.first)
    guard let account = await server.accounts.account(name),
      await server.accounts.checkPassword(visit.field("password"), for: account.did)
    else { return try await again("Wrong handle or password. Check both and try again.") }
    switch account.status {
    case .active, .deactivated: break
    case .takendown, .suspended:
      return try await again("This account is not available: it was taken down by its server.")
    }
    try await note(account, visit, isRemembered: !visit.field("remember").isEmpty)
    return backToPage(visit)
  }

  private func continueAs(_ visit: Visit) async throws -> HTTPServerResponse {
    let did = visit.field("did")
    let remembered = try await server.store.rememberedSignIns(
      device: visit.device.id, now: server.now)
    guard remembered.contains(did), let account = await server.accounts.account(did) else {
      var page = try await signInPage(visit)
      page.problem = "That sign-in has expired. Enter the password once more."
      return page.response(status: 400)
    }
    try await note(account, visit, isRemembered: false)
    return backToPage(visit)
  }

  private func signUp(_ visit: Visit) async throws -> HTTPServerResponse {
    var page = createPage(visit)
    page.handle = visit.field("handle")
    page.email = visit.field("email")
    guard !visit.field("password").isEmpty else {
      page.problem = "Choose a password."
      return page.response(status: 400)
    }
    let account: SandboxAccount
    do {
      account = try await server.accounts.createAccount(
        handle: AccountName.normal(page.handle, domain: page.domain), email: page.email,
        password: visit.field("password"))
    } catch {
      page.problem = error.words
      return page.response(status: 400)
    }
    try await note(account, visit, isRemembered: false)
    return backToPage(visit)
  }

  private func decide(_ visit: Visit) async throws -> HTTPServerResponse {
    var parameters = visit.request.parameters
    guard visit.field("decision") == "allow" else {
      try await server.store.deleteRequest(id: visit.request.id)
      return redirect(parameters).rejected()
    }
    guard let account = try await signedIn(visit) else { return backToPage(visit) }
    guard account.status == .active else { return try await deny(visit, account) }
    let withheld = server.faults.current.withheldScopes
    let ticked = Set(visit.fields["scope"] ?? []).subtracting(withheld)
    parameters.scope = parameters.scope.filter(ticked.contains)
    guard parameters.scope.contains("atproto") else {
      try await server.store.deleteRequest(id: visit.request.id)
      return redirect(parameters).refused(
        "access_denied", "The \"atproto\" scope is required")
    }
    let code = SecretText.newCode(server.random)
    let until = server.now.addingTimeInterval(server.lifetimes.code.seconds)
    try await server.store.authorize(
      id: visit.request.id, parameters: parameters, did: account.did.rawValue, code: code,
      until: until)
    return redirect(parameters).code(code)
  }

  private func note(
    _ account: SandboxAccount, _ visit: Visit, isRemembered: Bool
  ) async throws {
    try await server.store.insertSignIn(
      device: visit.device.id, request: visit.request.id, did: account.did.rawValue,
      isRemembered: isRemembered, now: server.now)
  }

  /// The account cannot sign in to anything now; the request ends here (atproto-wire §13).
  private func deny(_ visit: Visit, _ account: SandboxAccount) async throws -> HTTPServerResponse {
    try await server.store.deleteRequest(id: visit.request.id)
    let reason =
      account.status == .deactivated
      ? "This account has been deactivated" : "This account has been taken down"
    return redirect(visit.request.parameters).refused("access_denied", reason)
  }

  private func backToPage(_ visit: Visit) -> HTTPServerResponse {
    let query = RedirectAnswer.form([
      ("client_id", visit.client.id), ("request_uri", RequestURI.text(id: visit.request.id)),
    ])
    return .redirect(to: "\(Self.path)?\(query)")
  }

  private func redirect(_ parameters: AuthorizationParameters) -> RedirectAnswer {
    let issuer = server.faults.current.redirectIssuer ?? server.issuer
    return RedirectAnswer(parameters: parameters, issuer: issuer.isEmpty ? nil : issuer)
  }
}

extension HTTPServerResponse {
  /// The answer with the cookies of a browser not known before.
  fileprivate func setting(_ device: Device) -> Self {
    var response = self
    for cookie in device.newCookies { response.headers.add("Set-Cookie", cookie) }
    return response
  }
}
