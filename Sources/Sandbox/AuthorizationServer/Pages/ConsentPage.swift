import HTTPServing

/// Asks a person who has signed in whether the client may have what it asks for.
struct ConsentPage: Sendable {
  /// One scope item as the page lists it.
  struct Permission: Sendable {
    let item: String
    let text: PermissionText
    /// Whether it can be left out.
    let isOptional: Bool
  }

  let frame: PageFrame
  let account: SandboxAccount
  let permissions: [Permission]
  /// Whether a permission set is among them, whose content may change later.
  let hasSets: Bool

  func response() -> HTTPServerResponse {
    frame.page(title: "Allow access · \(frame.serverHost)", content, status: 200)
  }

  private var content: String {
    """
    \(frame.tile)
    <h1 class="name">\(HTML.escape(frame.clientName)) asks for access to your account</h1>
    <p class="soft name small">From \(HTML.escape(frame.clientHost)). Your answer goes to
    <code>\(HTML.escape(frame.clientIsAt))</code></p>
    <div class="account">\(AccountBadge.content(account))</div>
    <p class="small"><a href="\(frame.link(view: "sign-in"))">Use another account</a></p>
    <form method="post" action="\(AuthorizePages.path)/decide">
    \(frame.hiddenFields)
    <fieldset><legend>What it asks for</legend>
    <ul>
    \(permissions.map(row).joined(separator: "\n"))
    </ul></fieldset>
    \(setNote)<details><summary>As the app asked for it</summary>
    \(permissions.map { "<code>\(HTML.escape($0.item))</code>" }.joined())</details>
    <div class="buttons beside">
    <button type="submit" name="decision" value="allow">Allow</button>
    <button class="quiet" type="submit" name="decision" value="deny">Deny</button>
    </div>
    </form>
    """
  }

  private var setNote: String {
    hasSets
      ? "<p class=\"soft small\">What a permission set holds may change when its owner changes it.</p>"
      : ""
  }

  private func row(_ permission: Permission) -> String {
    let text = """
      <span><b>\(HTML.escape(permission.text.title))</b>
      <small>\(HTML.escape(permission.text.detail))</small></span>
      """
    guard permission.isOptional else {
      return """
        <li><div class="fixed"><span class="tick" aria-hidden="true">✓</span>
        \(text)\(HTML.hidden("scope", permission.item))</div></li>
        """
    }
    return """
      <li><label><input type="checkbox" name="scope" value="\(HTML.escape(permission.item))" checked>
      \(text)</label></li>
      """
  }
}
