import HTTPServing

package import Foundation
package import HTTPTransport

/// A person with a browser, played by a program: walks the pages of an authorization server by
/// their forms, and stops where the server sends the browser back to the client.
///
/// It knows no more of the pages than a browser does: forms, fields, buttons, cookies, redirects.
/// Each value is one browser with its own cookies.
package actor SandboxVisitor {
  /// Why a walk ended anywhere else than at the client.
  package enum Failure: Error, Equatable, Sendable {
    /// The page has no such form any more: its message, or its title.
    case stopped(String)
    /// The server sent the browser in circles.
    case tooManyRedirects
    case network(HTTPError)
  }

  private let http: HTTPClient
  private var cookies: [String: [String: String]] = [:]

  /// - Parameter http: reaches the sandbox; its host map applies.
  package init(http: HTTPClient) {
    self.http = http
  }

  /// Signs in and allows what the client asks for, but for the scope items to leave unticked.
  ///
  /// Gives back the callback URL, with the code or with the error the server put there instead.
  package func approve(
    authorizationURL: URL, handle: String, password: String, unticking: Set<String> = []
  ) async throws(Failure) -> URL {
    let step = try await signedIn(authorizationURL, handle: handle, password: password)
    guard case .page(let page, let url) = step else { return step.callback }
    return try await allow(page, at: url, unticking: unticking)
  }

  /// Signs in and denies the client.
  package func deny(
    authorizationURL: URL, handle: String, password: String
  ) async throws(Failure) -> URL {
    let step = try await signedIn(authorizationURL, handle: handle, password: password)
    guard case .page(let page, let url) = step else { return step.callback }
    var form = try form(page, "/decide")
    form.press("decision", "deny")
    return try await submit(form, at: url).end()
  }

  /// Closes the matter before signing in.
  package func cancel(authorizationURL: URL) async throws(Failure) -> URL {
    let step = try await open(authorizationURL)
    guard case .page(let page, let url) = step else { return step.callback }
    guard var form = page.forms.first(where: { $0.offers("decision", "deny") }) else {
      throw .stopped(page.message)
    }
    form.press("decision", "deny")
    return try await submit(form, at: url).end()
  }

  /// Makes an account on the page of `prompt=create` and allows the client.
  package func signUp(
    authorizationURL: URL, handle: String, email: String, password: String,
    unticking: Set<String> = []
  ) async throws(Failure) -> URL {
    var step = try await open(authorizationURL)
    guard case .page(let page, let url) = step else { return step.callback }
    var form = try form(page, "/sign-up")
    form.fill("handle", handle)
    form.fill("email", email)
    form.fill("password", password)
    step = try await submit(form, at: url)
    guard case .page(let consent, let consentURL) = step else { return step.callback }
    return try await allow(consent, at: consentURL, unticking: unticking)
  }

  // MARK: Steps

  private enum Step {
    case page(PageText, URL)
    case callback(URL)

    /// The callback of a step known to be one.
    var callback: URL {
      switch self {
      case .callback(let url), .page(_, let url): url
      }
    }

    /// - Throws: `stopped` when the walk is still on a page.
    func end() throws(Failure) -> URL {
      switch self {
      case .callback(let url): return url
      case .page(let page, _): throw .stopped(page.message)
      }
    }
  }

  private func signedIn(
    _ url: URL, handle: String, password: String
  ) async throws(Failure) -> Step {
    let step = try await open(url)
    guard case .page(let page, let url) = step else { return step }
    // A browser that is remembered goes straight to the question.
    guard var form = page.forms.first(where: { $0.action.hasSuffix("/sign-in") }) else {
      return step
    }
    form.fill("identifier", handle)
    form.fill("password", password)
    return try await submit(form, at: url)
  }

  private func allow(
    _ page: PageText, at url: URL, unticking: Set<String>
  ) async throws(Failure) -> URL {
    var form = try form(page, "/decide")
    for item in unticking { form.untick("scope", item) }
    form.press("decision", "allow")
    return try await submit(form, at: url).end()
  }

  private func form(_ page: PageText, _ action: String) throws(Failure) -> PageText.Form {
    guard let form = page.forms.first(where: { $0.action.hasSuffix(action) && !$0.isEscape })
    else { throw .stopped(page.message) }
    return form
  }

  private func open(_ url: URL) async throws(Failure) -> Step {
    try await go(HTTPRequest(method: "GET", url: url))
  }

  private func submit(_ form: PageText.Form, at page: URL) async throws(Failure) -> Step {
    guard let url = URL(string: form.target, relativeTo: page)?.absoluteURL else {
      throw .stopped("The form leads nowhere: \(form.target)")
    }
    var request = HTTPRequest(method: "POST", url: url)
    request.headers["Content-Type"] = FormURLEncoding.mediaType
    request.headers["Sec-Fetch-Site"] = "same-origin"
    request.headers["Origin"] = page.origin?.description
    request.body = .bytes(FormURLEncoding.encode(form.fields))
    return try await go(request)
  }

  private func go(_ first: HTTPRequest) async throws(Failure) -> Step {
    var request = first
    let home = first.url.origin
    for _ in 0..<8 {
      if request.headers["Sec-Fetch-Site"] == nil { request.headers["Sec-Fetch-Site"] = "none" }
      request.headers["Sec-Fetch-Mode"] = "navigate"
      request.headers["Sec-Fetch-Dest"] = "document"
      request.headers["Accept"] = "text/html"
      request.headers["Cookie"] = cookieHeader(request.url)
      let response: HTTPResponse
      do { response = try await http.send(request) } catch { throw .network(error) }
      keepCookies(response, from: request.url)
      guard (300..<400).contains(response.status), let location = response.headers["Location"],
        let next = URL(string: location, relativeTo: request.url)?.absoluteURL
      else {
        return .page(PageText(String(decoding: response.body, as: UTF8.self)), request.url)
      }
      guard next.origin == home, next.path().hasPrefix("/oauth/authorize") else {
        return .callback(next)
      }
      request = HTTPRequest(method: "GET", url: next)
      request.headers["Sec-Fetch-Site"] = "same-origin"
    }
    throw .tooManyRedirects
  }

  // MARK: Cookies

  private func cookieHeader(_ url: URL) -> String? {
    let known = cookies[url.host() ?? ""] ?? [:]
    guard !known.isEmpty else { return nil }
    return known.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
  }

  /// By host alone, ports not told apart: as browsers do.
  private func keepCookies(_ response: HTTPResponse, from url: URL) {
    // Several `Set-Cookie` fields may arrive joined; only a comma before a name starts another.
    let text = response.headers.all("Set-Cookie").joined(separator: ", ")
    for match in text.matches(of: /(?:^|, )([A-Za-z0-9_-]+)=([^;,]*)/) {
      cookies[url.host() ?? "", default: [:]][String(match.1)] = String(match.2)
    }
  }
}
