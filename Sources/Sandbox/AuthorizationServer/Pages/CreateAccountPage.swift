import HTTPServing

/// Makes a new account, for a client that asked with `prompt=create`.
struct CreateAccountPage: Sendable {
  let frame: PageFrame
  /// What handles given out here end in, with its dot.
  let domain: String
  var handle = ""
  var email = ""
  /// Why the page is shown again.
  var problem: String?

  init(frame: PageFrame, domain: String) {
    self.frame = frame
    self.domain = domain
  }

  func response(status: Int = 200) -> HTTPServerResponse {
    frame.page(title: "Create an account · \(frame.serverHost)", content, status: status)
  }

  private var content: String {
    """
    \(frame.tile)
    <h1>Create an account</h1>
    <p class="soft name">to use with <b>\(HTML.escape(frame.clientName))</b>
    (\(HTML.escape(frame.clientHost)))</p>
    \(frame.alert(problem))<form method="post" action="\(AuthorizePages.path)/sign-up">
    \(frame.hiddenFields)
    <label class="field"><span>Handle</span>
    <span class="row"><input type="text" name="handle" value="\(HTML.escape(handle))" required
      autocomplete="username" autocapitalize="none" spellcheck="false" autofocus
      aria-describedby="domain"><span class="suffix" id="domain">\(HTML.escape(domain))</span>
    </span></label>
    <label class="field"><span>E-mail</span>
    <input type="email" name="email" value="\(HTML.escape(email))" required
      autocomplete="email"></label>
    <label class="field"><span>Password</span>
    <input type="password" name="password" required autocomplete="new-password"></label>
    <div class="buttons">
    <button type="submit">Create account</button>
    <button class="quiet" type="submit" name="decision" value="deny" formnovalidate
      formaction="\(AuthorizePages.path)/decide">Cancel</button>
    </div>
    </form>
    <p class="after">Already have one? <a href="\(frame.link(view: "sign-in"))">Sign in</a></p>
    """
  }

}
