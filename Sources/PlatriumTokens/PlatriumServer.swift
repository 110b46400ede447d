package import Foundation
import HTTPTransport

/// Where one Platrium service is; its paths are those of the source document (grain-product §18).
package struct PlatriumServer: Hashable, Sendable {
  /// The text is no address a token may be sent to.
  package struct Invalid: Error, Equatable, Sendable {}

  /// Scheme, host and port, without a trailing slash.
  package let base: URL

  /// Reads what a person typed: a bare host means https.
  ///
  /// - Throws: for anything but https, or http on a loopback address where that is allowed; also for user
  ///   information, a path, a query or a fragment.
  package init(_ text: String, allowInsecureLoopback: Bool = false) throws(Invalid) {
    let typed = text.trimmingCharacters(in: .whitespaces)
    let full = typed.contains("://") ? typed : "https://\(typed)"
    guard
      let url = URL(string: full), let origin = Origin(url), url.user == nil, url.password == nil,
      url.query == nil, url.fragment == nil, url.path().isEmpty || url.path() == "/",
      origin.scheme == "https" || (allowInsecureLoopback && origin.isLoopback),
      let base = URL(string: origin.description)
    else { throw Invalid() }
    self.base = base
  }

  /// What people read.
  package var host: String { base.host() ?? "" }

  /// An endpoint below `/api/auth`; the path is percent-encoded already.
  func endpoint(_ path: String) -> URL {
    URL(string: "\(base.absoluteString)/api/auth/\(path)") ?? base
  }
}
