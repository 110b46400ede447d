import HTTPServing

/// Asks somebody who is logged in whether a client may act for them.
struct ServiceConsentPage: Sendable {
  let host: String
  let question: ClientQuestion
  let user: TokenServiceUser
  let formToken: String
  /// The login page that leads back here.
  let otherAccount: String

  func response() -> HTTPServerResponse {
    ServicePage.frame(host, title: "Allow access", content)
  }

  private var content: String {
    """
    <div class="tile" aria-hidden="true">\(HTML.escape(String(question.name.prefix(1))))</div>
    <h1 class="name">\(HTML.escape(question.name)) wants to use your account</h1>
    <p class="soft small name">Your answer goes to <code>\(HTML.escape(place))</code></p>
    <div class="account">\(ServicePage.badge(user))</div>
    <p class="small"><a href="\(HTML.escape(otherAccount))">Use another account</a></p>
    <form method="post" action="\(TokenServiceAPI.base)/authorize">
    \(HTML.hidden("csrf_token", formToken))\(hiddenFields)
    <fieldset><legend>What it will be</legend>
    <ul>
    \(row(isDevice ? "A device" : "An app", isDevice ? device : "It cannot get notifications."))
    \(row("All of your account", "It can do what you can do, in \(user.tenantName)."))
    \(row("Until you revoke it", "Under Devices & Apps, at any time."))
    </ul></fieldset>
    <div class="buttons beside">
    <button type="submit" name="decision" value="allow">Allow</button>
    <button class="quiet" type="submit" name="decision" value="deny">Deny</button>
    </div>
    </form>
    """
  }

  private var isDevice: Bool { question.kind == .device }

  private var device: String {
    let what = [question.platform, question.appVersion].compactMap(\.self).joined(separator: ", ")
    return "\(what). It can get notifications."
  }

  /// Without a query, which is nobody's business.
  private var place: String { String(question.redirectURI.prefix { $0 != "?" }) }

  private var hiddenFields: String {
    question.fields.map { HTML.hidden($0.0, $0.1) }.joined()
  }

  private func row(_ title: String, _ detail: String) -> String {
    """
    <li><div class="fixed"><span class="tick" aria-hidden="true">✓</span>
    <span><b>\(HTML.escape(title))</b> <small>\(HTML.escape(detail))</small></span></div></li>
    """
  }
}
