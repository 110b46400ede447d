import ATSyntax
import HTTPServing

/// Asks who somebody is.
struct SignInPage: Sendable {
  let frame: PageFrame
  var identifier: String
  let remembered: [SandboxAccount]
  /// Why the page is shown again.
  var problem: String?

  func response(status: Int = 200) -> HTTPServerResponse {
    frame.page(title: "Sign in · \(frame.serverHost)", content, status: status)
  }

  private var content: String {
    """
    \(frame.tile)
    <h1>Sign in</h1>
    <p class="soft name">to continue to <b>\(HTML.escape(frame.clientName))</b>
    (\(HTML.escape(frame.clientHost)))</p>
    \(frame.alert(problem))\(rememberedAccounts)<form method="post" action="\(AuthorizePages.path)/sign-in">
    \(frame.hiddenFields)
    <label class="field"><span>Handle or e-mail</span>
    <input type="text" name="identifier" value="\(HTML.escape(identifier))" required
      autocomplete="username" autocapitalize="none" spellcheck="false" placeholder="alice.test"
      \(identifier.isEmpty ? "autofocus" : "")></label>
    <label class="field"><span>Password</span>
    <input type="password" name="password" required autocomplete="current-password"
      \(identifier.isEmpty ? "" : "autofocus")></label>
    <label class="check"><input type="checkbox" name="remember" value="yes">
    <span>Remember me in this browser</span></label>
    <div class="buttons">
    <button type="submit">Sign in</button>
    <button class="quiet" type="submit" name="decision" value="deny" formnovalidate
      formaction="\(AuthorizePages.path)/decide">Cancel</button>
    </div>
    </form>
    <p class="after">New here? <a href="\(frame.link(view: "create"))">Create an account</a></p>
    """
  }

  private var rememberedAccounts: String {
    let forms = remembered.map { account in
      """
      <form method="post" action="\(AuthorizePages.path)/continue">
      \(frame.hiddenFields)
      <button class="account quiet" type="submit" name="did"
        value="\(HTML.escape(account.did.rawValue))">\(AccountBadge.content(account))</button>
      </form>
      """
    }.joined()
    return forms.isEmpty ? "" : forms + "<div class=\"or\">or use another account</div>\n"
  }
}

/// An account as the pages show it: initial, handle, server.
enum AccountBadge {
  static func content(_ account: SandboxAccount) -> String {
    let handle = account.handle.rawValue
    return """
      <span class="dot" aria-hidden="true">\(HTML.escape(handle.prefix(1).uppercased()))</span>
      <span class="name">@\(HTML.escape(handle))</span>
      """
  }
}
