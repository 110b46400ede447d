package import Foundation
package import HTTPTransport

/// A person with a browser in front of the Platrium-like service, played by a program: it knows no more of
/// the pages than their forms. Each value is one browser with its own cookies.
package actor PlatriumVisitor {
  private let browser: PageBrowser

  /// - Parameter http: reaches the sandbox.
  package init(http: HTTPClient) {
    let pages = [TokenServicePages.question, TokenServicePages.login, TokenServicePages.list]
    browser = PageBrowser(http: http) { pages.contains($0.path()) }
  }

  /// Logs in where that is asked for, and allows the client.
  ///
  /// - Returns: where the browser is sent, with the code.
  package func approve(
    _ page: URL, email: String = "alice@example.com", password: String = "sandbox"
  ) async throws(PageWalkFailure) -> URL {
    try await answer("allow", page, email: email, password: password)
  }

  /// Logs in where that is asked for, and denies the client.
  package func deny(
    _ page: URL, email: String = "alice@example.com", password: String = "sandbox"
  ) async throws(PageWalkFailure) -> URL {
    try await answer("deny", page, email: email, password: password)
  }

  /// Makes a token by hand under Devices & Apps and copies it (P25).
  package func makeToken(
    at service: URL, name: String, email: String = "alice@example.com",
    password: String = "sandbox"
  ) async throws(PageWalkFailure) -> String {
    let (page, url) = try await loggedIn(
      service.appending(path: TokenServicePages.list), email: email, password: password)
    var form = try page.form("/create")
    form.fill("name", name)
    guard case .page(let shown, _) = try await browser.submit(form, at: url),
      let token = shown.newToken
    else { throw .stopped("no token is shown") }
    return token
  }

  private func answer(
    _ decision: String, _ address: URL, email: String, password: String
  ) async throws(PageWalkFailure) -> URL {
    let (page, url) = try await loggedIn(address, email: email, password: password)
    var form = try page.form("\(TokenServiceAPI.base)/authorize")
    form.press("decision", decision)
    return try await browser.submit(form, at: url).end()
  }

  private func loggedIn(
    _ address: URL, email: String, password: String
  ) async throws(PageWalkFailure) -> (PageText, URL) {
    var step = try await browser.open(address)
    if case .page(let page, let url) = step, url.path() == TokenServicePages.login {
      var form = try page.form(TokenServicePages.login)
      form.fill("email", email)
      form.fill("password", password)
      step = try await browser.submit(form, at: url)
    }
    guard case .page(let page, let url) = step else {
      throw .stopped("the pages end early: \(step.callback.path())")
    }
    return (page, url)
  }
}
