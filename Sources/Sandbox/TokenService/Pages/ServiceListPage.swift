import HTTPServing

/// The devices and apps of somebody, and a token made by hand (P25).
struct ServiceListPage: Sendable {
  let host: String
  let user: TokenServiceUser
  let clients: [TokenServiceClient]
  /// Just made: its token is shown here and never again (P5).
  let new: NewClient?
  let formToken: String

  func response() -> HTTPServerResponse {
    ServicePage.frame(host, title: "Devices & Apps", content)
  }

  private var content: String {
    """
    <h1>Devices &amp; Apps</h1>
    <p class="soft small">What may act for you. Browsers you are logged in with are not listed.</p>
    <div class="account">\(ServicePage.badge(user))</div>
    \(newToken)\(list)<form method="post" action="/devices/create">
    \(HTML.hidden("csrf_token", formToken))
    <label class="field"><span>Name of a new app token</span>
    <input type="text" name="name" required maxlength="100" autocomplete="off"></label>
    <div class="buttons"><button type="submit">Make a token</button></div>
    </form>
    <form method="post" action="/logout">\(HTML.hidden("csrf_token", formToken))
    <div class="buttons"><button class="quiet" type="submit">Log out</button></div></form>
    """
  }

  private var newToken: String {
    new.map {
      """
      <p>The token of \(HTML.escape($0.name)). Copy it now: it is not shown again.</p>
      <p><code data-token>\(HTML.escape($0.token))</code></p>
      """
    } ?? ""
  }

  private var list: String {
    guard !clients.isEmpty else { return "<p>Nothing yet.</p>\n" }
    return "<ul>\(clients.map(row).joined(separator: "\n"))</ul>\n"
  }

  private func row(_ client: TokenServiceClient) -> String {
    let kind = client.kind == .device ? client.platform ?? "Device" : "App"
    return """
      <li><form method="post" action="/devices/revoke">
      \(HTML.hidden("csrf_token", formToken))\(HTML.hidden("client", client.id))
      <div class="fixed"><span class="name"><b>\(HTML.escape(client.name))</b>
      <small>\(HTML.escape(kind))</small></span></div>
      <button class="quiet" type="submit" aria-label="Revoke \(HTML.escape(client.name))"
        >Revoke</button></form></li>
      """
  }
}
