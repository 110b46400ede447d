import HTTPTransport

/// A URL that may be an authorization response, taken apart strictly before anybody looks at it.
///
/// Foundation's parser repairs what it reads; a callback that needs repair is refused instead. Never
/// log one: it carries a code (A21).
///
/// - SeeAlso: grain-product §17, atproto-wire §7.2
package struct CallbackURL: Sendable, CustomStringConvertible, CustomReflectable {
  /// Why a text is no callback. No case holds any part of the text.
  package enum Invalid: Error, Equatable, Sendable {
    /// Longer than 16 KiB.
    case tooLong
    /// A character that does not belong into a URL: control, space or outside ASCII.
    case badCharacter
    /// Not `scheme:` followed by a path or an authority.
    case notAURL
    /// User information or a fragment.
    case unexpectedPart
    /// The query is not properly encoded.
    case badEncoding
    /// A parameter that decides something came twice (`code`, `state`, `iss`, `error` …).
    case repeatedParameter(String)
    /// A JARM response, which this client never asks for.
    case responseObject
  }

  /// Lower case.
  package let scheme: String
  /// `nil` when no `//` follows the scheme; lower case for http and https. May be empty.
  package let host: String?
  /// Only where written.
  package let port: Int?
  /// As written, still percent-encoded; `/` for http without one.
  package let path: String
  /// Present with a successful answer.
  package let code: String?
  /// What we sent.
  package let state: String?
  /// The server that answers (RFC 9207).
  package let issuer: String?
  /// The OAuth code of a refusal.
  package let error: String?
  /// The server's words about it, not yet cleaned.
  package let errorDescription: String?

  /// Takes a text apart.
  package init(_ text: String) throws(Invalid) {
    guard text.utf8.count <= 16_384 else { throw .tooLong }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .badCharacter }
    guard !text.contains("#") else { throw .unexpectedPart }
    guard let colon = text.firstIndex(of: ":"), Self.isScheme(text[..<colon]) else {
      throw .notAURL
    }
    let scheme = text[..<colon].lowercased()
    let isWeb = scheme == "http" || scheme == "https"
    let rest = text[text.index(after: colon)...]
    let mark = rest.firstIndex(of: "?") ?? rest.endIndex
    let hierarchy = rest[..<mark]
    self.scheme = scheme
    if hierarchy.hasPrefix("//") {
      let authority = hierarchy.dropFirst(2).prefix { $0 != "/" }
      guard !authority.contains("@") else { throw .unexpectedPart }
      let (host, port) = try Self.split(authority)
      self.host = isWeb ? host.lowercased() : host
      self.port = port
      let path = hierarchy.dropFirst(2 + authority.count)
      self.path = path.isEmpty && isWeb ? "/" : String(path)
    } else {
      guard !isWeb else { throw .notAURL }
      host = nil
      port = nil
      path = String(hierarchy)
    }

    var parameters: [String: String] = [:]
    let query = mark == rest.endIndex ? "" : String(rest[rest.index(after: mark)...])
    guard let pairs = FormURLEncoding.decodeQuery(query) else { throw .badEncoding }
    for (name, value) in pairs where Self.deciding.contains(name) {
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw .repeatedParameter(name)
      }
    }
    guard parameters["response"] == nil else { throw .responseObject }
    code = parameters["code"]
    state = parameters["state"]
    issuer = parameters["iss"]
    error = parameters["error"]
    errorDescription = parameters["error_description"]
  }

  /// Never the URL itself.
  package var description: String { "CallbackURL(redacted)" }

  /// Without children, so that `dump` does not print the code.
  package var customMirror: Mirror { Mirror(self, children: [:]) }

  private static let deciding: Set = [
    "code", "state", "iss", "error", "error_description", "response",
  ]

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, (first | 0x20).isASCIILetter else { return false }
    return text.utf8.allSatisfy { byte in
      (byte | 0x20).isASCIILetter || (0x30...0x39).contains(byte)
        || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
    }
  }

  private static func split(_ authority: Substring) throws(Invalid) -> (String, Int?) {
    let hostEnd: Substring.Index
    if authority.hasPrefix("[") {
      guard let bracket = authority.firstIndex(of: "]") else { throw .notAURL }
      hostEnd = authority.index(after: bracket)
    } else {
      hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
    }
    let rest = authority[hostEnd...]
    guard !rest.isEmpty else { return (String(authority), nil) }
    guard
      rest.first == ":", rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(rest.dropFirst()), (1...65_535).contains(port)
    else { throw .notAURL }
    return (String(authority[..<hostEnd]), port)
  }
}

extension UInt8 {
  /// Whether a byte, put into lower case, is a letter a–z.
  fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
