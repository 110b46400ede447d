import HTTPTransport

/// Where the answer to a native client may go (P19–P22): an app's own scheme, a loopback address, an https
/// address that was configured. Everything else is refused, before there is a code (P23).
struct NativeRedirects: Sendable {
  private let appSchemes: Set<String>
  private let pages: [Address]

  /// Rules for those schemes and https entries; an entry that is no https address allows nothing.
  init(appSchemes: [String], httpsEntries: [String]) {
    self.appSchemes = Set(appSchemes.map { $0.lowercased() })
    pages = httpsEntries.compactMap(Address.init).filter { $0.scheme == "https" && $0.port != nil }
  }

  /// Whether an answer may go to that address.
  func allows(_ redirectURI: String) -> Bool {
    guard let address = Address(redirectURI), !address.hasUserOrFragment else { return false }
    switch address.scheme {
    case "http":
      return address.port.map { $0 > 0 } == true
        && ["127.0.0.1", "[::1]", "localhost"].contains(address.host)
    case "https": return pages.contains { address.isAtOrBelow($0) }
    case let scheme: return appSchemes.contains(scheme) && !address.authority.contains(":")
    }
  }

  /// The address with the answer's parameters added to its query.
  static func adding(_ fields: [(String, String)], to redirectURI: String) -> String {
    let separator = redirectURI.contains("?") ? "&" : "?"
    return redirectURI + separator + FormURLEncoding.encodeText(fields)
  }
}

/// A redirect address taken apart by hand: no two readers may see different hosts in it.
private struct Address {
  let scheme: String
  let authority: String
  let path: String
  let hasUserOrFragment: Bool

  /// `nil` for what no address is made of: spaces, backslashes, anything outside ASCII.
  init?(_ text: String) {
    let refused = Set("\\\"<>^`{|}".utf8)
    guard text.utf8.count <= 2000,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !refused.contains($0) }),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    scheme = text[..<colon].lowercased()
    guard scheme.wholeMatch(of: /[a-z][a-z0-9+.\-]*/) != nil else { return nil }
    let fragment = text.firstIndex(of: "#")
    let rest = text[text.index(after: colon)..<(fragment ?? text.endIndex)].prefix { $0 != "?" }
    if rest.hasPrefix("//") {
      let afterSlashes = rest.dropFirst(2)
      authority = afterSlashes.prefix { $0 != "/" }.lowercased()
      path = String(afterSlashes.dropFirst(authority.count))
    } else {
      authority = ""
      path = String(rest)
    }
    hasUserOrFragment = fragment != nil || authority.contains("@")
  }

  private var hostAndPort: (host: String, port: String?)? {
    guard let match = authority.wholeMatch(of: /(\[[0-9a-f:.]+\]|[a-z0-9._\-]+)(?::([0-9]{1,5}))?/)
    else { return nil }
    return (String(match.1), match.2.map(String.init))
  }

  /// In lower case, an IPv6 address in its brackets; empty when the authority is none.
  var host: String { hostAndPort?.host ?? "" }

  /// The scheme's own where none is written; `nil` for an authority that is none.
  var port: Int? {
    guard let hostAndPort else { return nil }
    guard let written = hostAndPort.port else { return scheme == "https" ? 443 : 80 }
    return Int(written).flatMap { $0 <= 65_535 ? $0 : nil }
  }

  /// The same origin, and the same path or one below it, compared segment by segment (P21).
  func isAtOrBelow(_ entry: Address) -> Bool {
    guard let port, host == entry.host, port == entry.port else { return false }
    let (own, allowed) = (segments, entry.segments)
    let isPlain = own.allSatisfy { segment in
      let plain = segment.lowercased().replacing("%2e", with: ".")
      return plain != "." && plain != ".." && !plain.contains("%2f") && !plain.contains("%5c")
    }
    return isPlain && own.prefix(allowed.count).elementsEqual(allowed)
  }

  /// The path's segments; a slash at its end adds none.
  private var segments: [Substring] {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    if parts.last?.isEmpty == true { parts = parts.dropLast() }
    return Array(parts)
  }
}
