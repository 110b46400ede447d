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
  package typealias Failure = PageWalkFailure

  private let browser: PageBrowser

  /// - Parameter http: reaches the sandbox; its host map applies.
  package init(http: HTTPClient) {
    browser = PageBrowser(http: http) { $0.path().hasPrefix(AuthorizePages.path) }
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
    var form = try page.form("/decide")
    form.press("decision", "deny")
    return try await browser.submit(form, at: url).end()
  }

  /// Closes the matter before signing in.
  package func cancel(authorizationURL: URL) async throws(Failure) -> URL {
    let step = try await browser.open(authorizationURL)
    guard case .page(let page, let url) = step else { return step.callback }
    guard var form = page.forms.first(where: { $0.offers("decision", "deny") }) else {
      throw .stopped(page.message)
    }
    form.press("decision", "deny")
    return try await browser.submit(form, at: url).end()
  }

  /// Makes an account on the page of `prompt=create` and allows the client.
  package func signUp(
    authorizationURL: URL, handle: String, email: String, password: String,
    unticking: Set<String> = []
  ) async throws(Failure) -> URL {
    var step = try await browser.open(authorizationURL)
    guard case .page(let page, let url) = step else { return step.callback }
    var form = try page.form("/sign-up")
    form.fill("handle", handle)
    form.fill("email", email)
    form.fill("password", password)
    step = try await browser.submit(form, at: url)
    guard case .page(let consent, let consentURL) = step else { return step.callback }
    return try await allow(consent, at: consentURL, unticking: unticking)
  }

  // MARK: Steps

  private func signedIn(
    _ url: URL, handle: String, password: String
  ) async throws(Failure) -> PageBrowser.Step {
    let step = try await browser.open(url)
    guard case .page(let page, let url) = step else { return step }
    // A browser that is remembered goes straight to the question.
    guard var form = page.forms.first(where: { $0.action.hasSuffix("/sign-in") }) else {
      return step
    }
    form.fill("identifier", handle)
    form.fill("password", password)
    return try await browser.submit(form, at: url)
  }

  private func allow(
    _ page: PageText, at url: URL, unticking: Set<String>
  ) async throws(Failure) -> URL {
    var form = try page.form("/decide")
    for item in unticking { form.untick("scope", item) }
    form.press("decision", "allow")
    return try await browser.submit(form, at: url).end()
  }

}
