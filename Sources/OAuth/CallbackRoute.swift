/// Where one attempt's authorization response must arrive, to the last character.
///
/// A matching URL authenticates nobody; it only decides who looks at it next (A11, A14).
///
/// - SeeAlso: grain-product §17
package struct CallbackRoute: Hashable, Sendable {
  /// The text has no scheme and path, or carries a query, which no route of ours has.
  package struct Invalid: Error, Equatable, Sendable {}

  /// Lower case.
  package let scheme: String
  /// `nil` when the redirect has no authority (`social.grain:/oauth/callback`).
  package let host: String?
  /// Only where the redirect names one.
  package let port: Int?
  /// Exactly as in the redirect.
  package let path: String
  /// Whether paths below `path` match too, on a segment's boundary (an allowed https entry, P21).
  package let includesPathsBelow: Bool

  /// The route of a redirect URI.
  package init(redirectURI: String, includesPathsBelow: Bool = false) throws(Invalid) {
    let url: CallbackURL
    do {
      url = try CallbackURL(redirectURI)
    } catch {
      throw Invalid()
    }
    guard !redirectURI.contains("?"), url.host != nil || url.path.hasPrefix("/") else {
      throw Invalid()
    }
    scheme = url.scheme
    host = url.host
    port = url.port
    path = url.path
    self.includesPathsBelow = includesPathsBelow
  }

  /// Whether a callback arrived here: scheme, host, port and path exactly, no prefix or suffix tests.
  package func matches(_ url: CallbackURL) -> Bool {
    guard url.scheme == scheme, url.host == host, url.port == port else { return false }
    if url.path == path { return true }
    guard includesPathsBelow, !url.path.contains(".."), !url.path.contains("%") else {
      return false
    }
    return url.path.hasPrefix(path.hasSuffix("/") ? path : path + "/")
  }
}
