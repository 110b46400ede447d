import Foundation
import HTTPTransport

/// Which addresses in a metadata document may be contacted or opened.
enum EndpointURL {
  /// An absolute https address without user information or fragment; in development also http to a
  /// loopback host. Keeps `javascript:` and application schemes away from the browser.
  static func parse(_ text: String, allowInsecureLoopback: Bool) -> URL? {
    guard
      let url = URL(string: text), isAcceptable(url, allowInsecureLoopback: allowInsecureLoopback)
    else { return nil }
    return url
  }

  static func isAcceptable(_ url: URL, allowInsecureLoopback: Bool) -> Bool {
    guard
      let origin = Origin(url), url.user == nil, url.password == nil, url.fragment == nil
    else { return false }
    return origin.scheme == "https" || (allowInsecureLoopback && origin.isLoopback)
  }
}
