import HTTPServing

/// Tells a person that something cannot go on here. There is nowhere safe to redirect to, so the app is not
/// told.
struct ServiceErrorPage: Sendable {
  let host: String
  let refusal: TokenServiceRefusal

  var response: HTTPServerResponse {
    ServicePage.frame(
      host, title: "This cannot go on",
      """
      <div class="tile" aria-hidden="true">!</div>
      <h1>This cannot go on</h1>
      <p>\(HTML.escape(advice))</p>
      <details><summary>What the server says</summary>
      <code id="error" data-error="\(HTML.escape(refusal.error))"
        >\(HTML.escape(refusal.message))</code></details>
      """, status: refusal.status)
  }

  private var advice: String {
    switch refusal.error {
    case "invalid_redirect":
      "The app that sent you here wants the answer where it must not go. Close this page."
    case "not_found": "There is no such page."
    default: "Close this page, go back to the app and start again."
    }
  }
}

/// What all pages of the service have in common.
enum ServicePage {
  /// The whole page around its content.
  static func frame(
    _ host: String, title: String, _ content: String, status: Int = 200
  ) -> HTTPServerResponse {
    Page(
      title: "\(title) · \(host)", content: content,
      footer: "Sandbox server \(host). For trying things out."
    ).response(status: status)
  }

  /// Somebody as the pages show them: initial, address, tenant.
  static func badge(_ user: TokenServiceUser) -> String {
    """
    <span class="dot" aria-hidden="true">\(HTML.escape(user.name.prefix(1).uppercased()))</span>
    <span class="name">\(HTML.escape(user.email))<br>
    <span class="soft small">\(HTML.escape(user.tenantName))</span></span>
    """
  }
}
