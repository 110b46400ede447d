/// A decentralised identifier: the permanent name of an account or a service.
///
/// Any method is read; whether it can be resolved is for the caller to ask (``method``). Case
/// matters everywhere. Sources: atproto DID specification; at most 2048 bytes.
package struct DID: SyntaxText {
  /// As written: case matters.
  package let rawValue: String

  /// Reads any syntactically valid DID, whatever its method.
  package init(_ text: String) throws(SyntaxError) {
    let bytes = text.utf8
    guard bytes.count <= 2048 else { throw .tooLong(.did, limit: 2048) }
    let parts = bytes.split(
      separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("did".utf8),
      !parts[1].isEmpty, parts[1].allSatisfy(\.isLowercaseLetter),
      let last = parts[2].last, last != UInt8(ascii: ":"), last != UInt8(ascii: "%"),
      parts[2].allSatisfy(DID.isIdentifierByte)
    else { throw .malformed(.did, text) }
    rawValue = text
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "._:%-".utf8.contains(byte)
  }
}

extension DID {
  /// How a DID is resolved. atproto blesses `plc` and `web`.
  package enum Method: Hashable, Sendable {
    case plc
    case web
    case other(String)
  }

  /// The method named after `did:`; says nothing about whether ``identifier`` suits it.
  package var method: Method {
    switch rawValue.dropFirst(4).prefix(while: { $0 != ":" }) {
    case "plc": .plc
    case "web": .web
    case let name: .other(String(name))
    }
  }

  /// What follows `did:<method>:`.
  package var identifier: String {
    String(rawValue.dropFirst(4).drop(while: { $0 != ":" }).dropFirst())
  }

  /// Whether atproto can resolve it: `did:plc` with 24 characters of `a–z2–7`, or a `did:web` of
  /// one host (no path).
  package var isBlessed: Bool {
    switch method {
    case .plc:
      identifier.utf8.count == 24
        && identifier.utf8.allSatisfy {
          $0.isLowercaseLetter || ($0 >= UInt8(ascii: "2") && $0 <= UInt8(ascii: "7"))
        }
    case .web: webHost != nil
    case .other: false
    }
  }

  /// The authority a `did:web` names, `host` or `host:port`; `nil` for other methods, for a path
  /// and for a malformed port.
  ///
  /// A port is written `%3A<digits>`, upper case (wire reference §1.5). Where a port is acceptable
  /// (loopback, development) is for the resolver to decide.
  package var webHost: String? {
    guard method == .web, !identifier.contains(":") else { return nil }
    let parts = identifier.split(separator: "%3A", omittingEmptySubsequences: false)
    guard let host = parts.first, !host.contains("%"), parts.count <= 2 else { return nil }
    let labels = host.lowercased().utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy(\.isDomainLabel) else { return nil }
    guard parts.count == 2 else { return String(host) }
    guard let port = UInt16(parts[1]), port > 0, parts[1].utf8.allSatisfy(\.isDigit) else {
      return nil
    }
    return "\(host):\(port)"
  }

  /// The `did:web` of an authority, as a development build derives it from a server URL (G96):
  /// `127.0.0.1:3000` → `did:web:127.0.0.1%3A3000`.
  package init(webHost authority: String) throws(SyntaxError) {
    try self.init(
      "did:web:"
        + authority.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "%3A")
    )
  }
}
