import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto

/// One HTML page, with the headers all of them are sent with.
struct Page: Sendable {
  let title: String
  let content: String
  let footer: String
  /// A script, known to the policy by its digest.
  var script: String?

  func response(status: Int) -> HTTPServerResponse {
    let script = script.map { "<script>\($0)</script>" } ?? ""
    let text = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="robots" content="noindex">
      <title>\(HTML.escape(title))</title>
      <style>\(PageStyle.text)</style>
      </head>
      <body>
      <main>
      \(content)
      </main>
      <footer>\(HTML.escape(footer))</footer>
      \(script)</body>
      </html>
      """
    var response = HTTPServerResponse.html(text, status: status)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Pragma"] = "no-cache"
    response.headers["Content-Security-Policy"] = policy
    // Not `no-referrer`: browsers would then send forms with `Origin: null`.
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    return response
  }

  /// No `form-action`: browsers apply it to the redirect after the form as well, and that one goes
  /// to the client, wherever it is.
  private var policy: String {
    var parts = [
      "default-src 'none'", "style-src '\(Self.digest(PageStyle.text))'", "base-uri 'none'",
      "frame-ancestors 'none'",
    ]
    if let script { parts.append("script-src '\(Self.digest(script))'") }
    return parts.joined(separator: "; ")
  }

  private static func digest(_ text: String) -> String {
    "sha256-" + Data(Digest.sha256(text.utf8)).base64EncodedString()
  }
}
