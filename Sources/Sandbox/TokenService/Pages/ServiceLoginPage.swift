import HTTPServing

/// Asks who somebody is, and leads back to what was interrupted.
struct ServiceLoginPage: Sendable {
  let host: String
  /// Where a login leads.
  let next: String
  let formToken: String
  var email = ""
  /// Why the page is shown again.
  var problem: String?

  init(host: String, next: String, formToken: String) {
    self.host = host
    self.next = next
    self.formToken = formToken
  }

  func response(status: Int = 200) -> HTTPServerResponse {
    ServicePage.frame(host, title: "Log in", content, status: status)
  }

  private var content: String {
    """
    <div class="tile" aria-hidden="true">P</div>
    <h1>Log in</h1>
    <p class="soft">\(reason)</p>
    \(alert)<form method="post" action="\(TokenServicePages.login)">
    \(HTML.hidden("csrf_token", formToken))\(HTML.hidden("next", next))
    <label class="field"><span>E-mail</span>
    <input type="email" name="email" value="\(HTML.escape(email))" required
      autocomplete="username" placeholder="alice@example.com"
      \(email.isEmpty ? "autofocus" : "")></label>
    <label class="field"><span>Password</span>
    <input type="password" name="password" required autocomplete="current-password"
      \(email.isEmpty ? "" : "autofocus")></label>
    <div class="buttons"><button type="submit">Log in</button></div>
    </form>
    """
  }

  private var reason: String {
    next == TokenServicePages.list
      ? "to see your devices and apps" : "to answer an app that wants to use your account"
  }

  private var alert: String {
    problem.map { "<p class=\"problem\" role=\"alert\">\(HTML.escape($0))</p>\n" } ?? ""
  }
}
