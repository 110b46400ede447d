import HTTPServing

/// Tells a person that a sign-in cannot go on here, and what to do instead.
///
/// There is nowhere safe to redirect to, so the app is not told.
struct ErrorPage: Sendable {
  let refusal: OAuthRefusal

  var response: HTTPServerResponse {
    Page(
      title: "Sign-in stopped", content: content,
      footer: "Nothing was shared with the app that sent you here."
    ).response(status: refusal.status)
  }

  private var content: String {
    """
    <div class="tile" aria-hidden="true">!</div>
    <h1>\(HTML.escape(title))</h1>
    <p>\(HTML.escape(advice))</p>
    <details><summary>What the server says</summary>
    <code id="error" data-error="\(HTML.escape(refusal.error))">\(HTML.escape(refusal.error)):
    \(HTML.escape(refusal.description))</code></details>
    """
  }

  private var title: String {
    switch (refusal.description, refusal.error) {
    case ("Unknown request_uri", _): "This sign-in link is used up"
    case (_, "server_error"): "Something went wrong here"
    case (_, "invalid_client_metadata"), (_, "invalid_redirect_uri"):
      "This app could not be identified"
    default: "This sign-in cannot go on"
    }
  }

  private var advice: String {
    refusal.error == "server_error"
      ? "Close this page, go back to the app and try again in a moment."
      : "Close this page, go back to the app and start signing in again."
  }
}

/// The page of `response_mode=form_post`: a form that sends itself, and a button where it cannot.
enum AutomaticFormPage {
  static func response(_ target: String, _ fields: [(String, String)]) -> HTTPServerResponse {
    let content = """
      <h1>Going back to the app</h1>
      <form method="post" action="\(HTML.escape(target))">
      \(fields.map { HTML.hidden($0.0, $0.1) }.joined())
      <div class="buttons"><button type="submit">Continue</button></div>
      </form>
      """
    return Page(
      title: "Going back to the app", content: content, footer: "",
      script: "document.forms[0].submit()"
    ).response(status: 200)
  }
}
