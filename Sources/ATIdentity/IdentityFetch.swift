import Foundation
import HTTPTransport

/// One look-up over HTTP, bounded in time and size.
struct IdentityFetch: Sendable {
  let http: HTTPClient
  let deadline: Duration
  let maximumBodyBytes: Int

  /// Gets a URL; the status is for the caller to judge.
  func get(_ url: URL, accept: String) async throws(IdentityError) -> HTTPResponse {
    let request = HTTPRequest(
      method: "GET", url: url, headers: ["Accept": accept], deadline: deadline,
      maximumBodyBytes: maximumBodyBytes)
    do {
      return try await http.send(request)
    } catch {
      throw .unreachable(host: Self.name(of: url), error)
    }
  }

  /// What to call the server at a URL.
  static func name(of url: URL) -> String {
    url.host(percentEncoded: true) ?? url.absoluteString
  }
}
