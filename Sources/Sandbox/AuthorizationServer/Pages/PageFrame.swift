import Foundation
import HTTPServing

/// What all pages of one visit have in common: who asks, at which server, and the fields every
/// form carries.
struct PageFrame: Sendable {
  let client: ClientDocument
  /// Where the answer goes.
  let clientIsAt: String
  let server: String
  let requestURI: String
  let formToken: String

  /// The client's name as people know it.
  var clientName: String {
    if let name = client.name, !name.isEmpty { return name }
    return client.isDevelopment ? "An app on this computer" : clientHost
  }

  /// Where the client comes from; a name anybody can choose is not enough.
  var clientHost: String {
    client.isDevelopment
      ? "this computer, in development" : URL(string: client.id)?.host() ?? client.id
  }

  /// The server's host, and its port where it has one.
  var serverHost: String {
    server.split(separator: "/").last.map(String.init) ?? server
  }

  /// The fields that tie a form to this visit.
  var hiddenFields: String {
    HTML.hidden("client_id", client.id) + HTML.hidden("request_uri", requestURI)
      + HTML.hidden("csrf_token", formToken)
  }

  /// The client's initial, in the place of a picture nobody vouches for.
  var tile: String {
    "<div class=\"tile\" aria-hidden=\"true\">\(HTML.escape(String(clientName.prefix(1))))</div>"
  }

  /// Why a form is shown again; read out by a screen reader at once.
  func alert(_ problem: String?) -> String {
    problem.map { "<p class=\"problem\" role=\"alert\">\(HTML.escape($0))</p>\n" } ?? ""
  }

  /// The page's own address with another view, as an attribute value.
  func link(view: String) -> String {
    let query = RedirectAnswer.form([
      ("client_id", client.id), ("request_uri", requestURI), ("view", view),
    ])
    return HTML.escape("\(AuthorizePages.path)?\(query)")
  }

  /// The whole page around its content.
  func page(title: String, _ content: String, status: Int) -> HTTPServerResponse {
    Page(
      title: title, content: content, footer: "Sandbox server \(serverHost). For trying things out."
    )
    .response(status: status)
  }
}
