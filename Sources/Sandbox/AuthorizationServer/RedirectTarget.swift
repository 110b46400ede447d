import Foundation

/// A redirect URI, sorted by the three kinds a client may use.
///
/// - SeeAlso: RFC 8252 §7, atproto-wire §4.2
enum RedirectTarget: Equatable, Sendable {
  /// `http` on a loopback address; any port will do when the registered one names none.
  case loopback(host: String, port: String, rest: String)
  case https(host: String)
  /// A scheme of the client's own, written `com.host:/path` with one slash.
  case privateUse(scheme: String)

  /// - Throws: `invalid_redirect_uri` for whatever is none of the three.
  init(_ text: String) throws(OAuthRefusal) {
    guard let colon = text.firstIndex(of: ":"),
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
    else { throw .invalidRedirectURI("Invalid redirect URI \"\(text)\"") }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.index(after: colon)...]
    switch scheme {
    case "http", "https":
      guard rest.hasPrefix("//") else {
        throw .invalidRedirectURI("Invalid redirect URI \"\(text)\"")
      }
      let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
      guard !authority.isEmpty else {
        throw .invalidRedirectURI("Invalid redirect URI \"\(text)\"")
      }
      guard !authority.contains("@") else {
        throw .invalidRedirectURI("Redirect URI \(text) must not contain credentials")
      }
      self = try Self.web(
        scheme, authority: authority, rest: rest[authority.endIndex...], text: text)
    case _ where scheme.contains("."):
      guard rest.hasPrefix("/"), !rest.hasPrefix("//") else {
        throw .invalidRedirectURI("Private-Use URI Scheme must be in the form \(scheme):/<path>")
      }
      self = .privateUse(scheme: scheme)
    default:
      throw .invalidRedirectURI("Invalid redirect URI scheme \"\(scheme):\"")
    }
  }

  private static func web(
    _ scheme: String, authority: Substring, rest: Substring, text: String
  ) throws(OAuthRefusal) -> Self {
    let port = authority.wholeMatch(of: /.*:([0-9]*)/).map { String($0.1) } ?? ""
    let host = (port.isEmpty ? authority : authority.dropLast(port.count + 1)).lowercased()
    switch host {
    case "localhost":
      throw .invalidRedirectURI(
        "Loopback redirect URI \(text) is not allowed (use explicit IPs instead)")
    case "127.0.0.1", "[::1]":
      guard scheme == "http" else {
        throw .invalidRedirectURI("Loopback redirect URI \(text) must use HTTP")
      }
      let rest = rest.hasPrefix("/") ? String(rest) : "/" + rest
      return .loopback(host: host, port: port, rest: rest)
    default:
      guard scheme == "https" else {
        throw .invalidRedirectURI(
          "Only loopback redirect URIs are allowed to use the \"http\" scheme")
      }
      return .https(host: host)
    }
  }

  /// Whether a client that registered `registered` may be answered at `requested`.
  static func matches(registered: String, requested: String) -> Bool {
    if registered == requested { return true }
    do {
      guard case .loopback(let host, let port, let rest) = try RedirectTarget(registered),
        case .loopback(host, let requestedPort, rest) = try RedirectTarget(requested)
      else { return false }
      return port.isEmpty || port == requestedPort
    } catch {
      return false
    }
  }
}
