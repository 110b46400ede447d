/// A URL as a DPoP proof names it: origin and path, nothing else, in WHATWG normal form.
///
/// Scheme and host are lowercased, the scheme's own port is dropped, dot segments are resolved and
/// an empty path is `/`. Query and fragment are cut off: the reference server still tolerates them
/// in a proof. Percent escapes stay as written.
/// - SeeAlso: RFC 9449 §4.3 (point 9), atproto-wire §6 (`htu`)
struct ProofTarget: Equatable, Sendable {
  /// Why a text is no proof target; the words are the reference server's.
  enum Failure: Error, Equatable {
    case notAURL, credentials, otherScheme

    var words: String {
      switch self {
      case .notAURL: "DPoP \"htu\" is not a valid URL"
      case .credentials: "DPoP \"htu\" must not contain credentials"
      case .otherScheme: "DPoP \"htu\" must be http or https"
      }
    }
  }

  let text: String

  init(_ written: String) throws(Failure) {
    guard let colon = written.firstIndex(of: ":") else { throw .notAURL }
    let scheme = written[..<colon].lowercased()
    guard let first = scheme.unicodeScalars.first, ("a"..."z").contains(first) else {
      throw .notAURL
    }
    guard scheme == "http" || scheme == "https" else { throw .otherScheme }
    let rest = written[written.index(after: colon)...]
    guard rest.hasPrefix("//") else { throw .notAURL }
    let afterSlashes = rest.dropFirst(2)
    let authority = afterSlashes.prefix { !"/?#\\".contains($0) }
    guard !authority.contains("@") else { throw .credentials }
    let path = afterSlashes[authority.endIndex...].prefix { !"?#".contains($0) }
    guard let origin = Self.origin(scheme: scheme, authority: authority) else { throw .notAURL }
    text = origin + Self.withoutDotSegments(path)
  }

  private static func origin(scheme: String, authority: Substring) -> String? {
    var host = authority
    var port = ""
    let portColon = authority.lastIndex(of: ":")
    if let portColon, authority[portColon...].allSatisfy({ $0 != "]" }) {
      host = authority[..<portColon]
      port = String(authority[authority.index(after: portColon)...])
    }
    guard !host.isEmpty, !host.contains(where: { " %<>^|".contains($0) }) else { return nil }
    guard port.isEmpty || UInt16(port) != nil else { return nil }
    let ownPort = scheme == "https" ? 443 : 80
    let number = UInt16(port).map(Int.init)
    let suffix = number.map { $0 == ownPort ? "" : ":\($0)" } ?? ""
    return "\(scheme)://\(host.lowercased())\(suffix)"
  }

  private static func withoutDotSegments(_ path: Substring) -> String {
    var kept: [String] = []
    let segments = path.replacing("\\", with: "/").split(
      separator: "/", omittingEmptySubsequences: false
    ).dropFirst()
    for (offset, segment) in segments.enumerated() {
      let isLast = offset == segments.count - 1
      switch segment.lowercased().replacing("%2e", with: ".") {
      case ".":
        if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(String(segment))
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
