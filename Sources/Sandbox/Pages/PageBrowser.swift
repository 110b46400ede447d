import Foundation
package import HTTPTransport

/// Why a walk over a server's pages ended anywhere else than at the client.
package enum PageWalkFailure: Error, Equatable, Sendable {
  /// The page has no such form any more: its message, or its title.
  case stopped(String)
  /// The server sent the browser in circles.
  case tooManyRedirects
  /// A page did not come.
  case network(HTTPError)
}

/// A browser as far as forms, cookies and redirects go. It ends a walk where the server sends it away from
/// its own pages.
actor PageBrowser {
  /// Where a request has led.
  enum Step: Sendable {
    /// One of the server's pages, and its address.
    case page(PageText, URL)
    /// Away: the address it was sent to, which was not asked for.
    case callback(URL)

    /// The callback of a step known to be one.
    var callback: URL {
      switch self {
      case .callback(let url), .page(_, let url): url
      }
    }

    /// - Throws: `stopped` when the walk is still on a page.
    func end() throws(PageWalkFailure) -> URL {
      switch self {
      case .callback(let url): return url
      case .page(let page, _): throw .stopped(page.message)
      }
    }
  }

  private let http: HTTPClient
  private let isPage: @Sendable (URL) -> Bool
  private var cookies: [String: [String: String]] = [:]
  /// Every address that was asked for, in order.
  private(set) var visited: [URL] = []

  /// A browser without cookies; `isPage` knows the addresses on the server's own origin that are followed.
  init(http: HTTPClient, isPage: @escaping @Sendable (URL) -> Bool) {
    self.http = http
    self.isPage = isPage
  }

  /// Goes to an address.
  func open(_ url: URL) async throws(PageWalkFailure) -> Step {
    try await go(HTTPRequest(method: "GET", url: url))
  }

  /// Sends a form of the page at an address.
  func submit(_ form: PageText.Form, at page: URL) async throws(PageWalkFailure) -> Step {
    guard let url = URL(string: form.target, relativeTo: page)?.absoluteURL else {
      throw .stopped("The form leads nowhere: \(form.target)")
    }
    var request = HTTPRequest(method: "POST", url: url)
    request.headers["Content-Type"] = FormURLEncoding.mediaType
    request.headers["Sec-Fetch-Site"] = "same-origin"
    request.headers["Origin"] = page.origin?.description
    request.body = .bytes(FormURLEncoding.encode(form.fields))
    return try await go(request)
  }

  private func go(_ first: HTTPRequest) async throws(PageWalkFailure) -> Step {
    var request = first
    let home = first.url.origin
    for _ in 0..<8 {
      if request.headers["Sec-Fetch-Site"] == nil { request.headers["Sec-Fetch-Site"] = "none" }
      request.headers["Sec-Fetch-Mode"] = "navigate"
      request.headers["Sec-Fetch-Dest"] = "document"
      request.headers["Accept"] = "text/html"
      request.headers["Cookie"] = cookieHeader(request.url)
      visited.append(request.url)
      let response: HTTPResponse
      do { response = try await http.send(request) } catch { throw .network(error) }
      keepCookies(response, from: request.url)
      guard (300..<400).contains(response.status), let location = response.headers["Location"],
        let next = URL(string: location, relativeTo: request.url)?.absoluteURL
      else {
        return .page(PageText(String(decoding: response.body, as: UTF8.self)), request.url)
      }
      guard next.origin == home, isPage(next) else { return .callback(next) }
      request = HTTPRequest(method: "GET", url: next)
      request.headers["Sec-Fetch-Site"] = "same-origin"
    }
    throw .tooManyRedirects
  }

  // MARK: Cookies

  private func cookieHeader(_ url: URL) -> String? {
    let known = cookies[url.host() ?? ""] ?? [:]
    guard !known.isEmpty else { return nil }
    return known.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
  }

  /// By host alone, ports not told apart: as browsers do.
  private func keepCookies(_ response: HTTPResponse, from url: URL) {
    // Several `Set-Cookie` fields may arrive joined; only a comma before a name starts another.
    let text = response.headers.all("Set-Cookie").joined(separator: ", ")
    for match in text.matches(of: /(?:^|, )([A-Za-z0-9_-]+)=([^;,]*)/) {
      cookies[url.host() ?? "", default: [:]][String(match.1)] = String(match.2)
    }
  }
}

extension PageText {
  /// The form that goes to that action.
  func form(_ action: String) throws(PageWalkFailure) -> Form {
    guard let form = forms.first(where: { $0.action.hasSuffix(action) && !$0.isEscape })
    else { throw .stopped(message) }
    return form
  }
}
