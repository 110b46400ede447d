package import Foundation
package import HTTPTransport

/// A person in front of a web view on the Pixiv-like service's login, played by a program.
package actor PixivVisitor {
  private let browser: PageBrowser

  /// - Parameter http: reaches the sandbox.
  package init(http: HTTPClient) {
    browser = PageBrowser(http: http) { _ in true }
  }

  /// Logs in, or goes on where this browser is logged in already.
  ///
  /// - Returns: every address the web view saw, in order; the last is the one it stops at.
  package func signIn(
    _ page: URL, account: String = "alice", password: String = "sandbox"
  ) async throws(PageWalkFailure) -> [URL] {
    var step = try await browser.open(page)
    if case .page(let shown, let url) = step {
      var form = try shown.form(PixivPages.login)
      form.fill("account", account)
      form.fill("password", password)
      step = try await browser.submit(form, at: url)
    }
    let callback = try step.end()
    return await browser.visited + [callback]
  }
}
