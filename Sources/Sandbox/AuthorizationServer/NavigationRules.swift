import HTTPServing
import HTTPTransport

/// Whether a request for a page is a browser going there, and not a script or a foreign form.
///
/// Browsers say so in `Sec-Fetch-*`. What is there must be right; what is missing is forgiven,
/// unlike at the reference server, so that scripted form walkers get in (atproto-wire §7.1).
enum NavigationRules {
  /// What may be asked for.
  enum Kind {
    /// The page itself, from wherever the person comes.
    case opening
    /// One of the page's own forms.
    case form
  }

  /// - Throws: `invalid_request`, shown as a page.
  static func check(
    _ request: HTTPServerRequest, _ kind: Kind, issuer: String
  ) throws(OAuthRefusal) {
    let sites =
      kind == .form ? ["same-origin"] : ["same-origin", "same-site", "cross-site", "none"]
    try expect(request, "Sec-Fetch-Site", sites)
    try expect(request, "Sec-Fetch-Mode", ["navigate"])
    try expect(request, "Sec-Fetch-Dest", ["document"])
    try expect(request, "Origin", [issuer])
  }

  private static func expect(
    _ request: HTTPServerRequest, _ header: String, _ values: [String]
  ) throws(OAuthRefusal) {
    guard let value = request.headers[header], !values.contains(value) else { return }
    throw .invalidRequest("Forbidden \(header.lowercased()) header \"\(value)\"")
  }
}
