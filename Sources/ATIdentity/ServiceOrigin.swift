import Foundation
import HTTPTransport

/// Reads a service endpoint, which must be an origin and nothing more.
enum ServiceOrigin {
  /// The origin without a trailing slash, or `nil` for any other URL: a path, user information, a
  /// query, plain http (but to a loopback host in development).
  static func parse(_ text: String, allowInsecureLoopback: Bool) -> URL? {
    guard
      let url = URL(string: text), ["", "/"].contains(url.path(percentEncoded: true)),
      url.query == nil,
      url.fragment == nil, url.user == nil, url.password == nil, let origin = Origin(url),
      origin.scheme == "https" || (allowInsecureLoopback && origin.isLoopback)
    else { return nil }
    return URL(string: origin.description)
  }
}
