import HTTPTransport

/// A name a certificate speaks for: a DNS name, perhaps `*.` before it, or an IP address.
struct SubjectName: Equatable {
  private let text: String
  private let address: IPAddress?

  /// - Throws: `CertificateError.invalidName` for anything with other than letters, digits, dots,
  ///   hyphens and underscores: OpenSSL's notation must not be talked into more names.
  init(_ text: String) throws(CertificateError) {
    address = IPAddress(text)
    self.text = text.lowercased()
    let name = self.text.hasPrefix("*.") ? self.text.dropFirst(2) : self.text[...]
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count)
        && label.utf8.allSatisfy {
          (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
    }
    guard address != nil || isName && name.utf8.count <= 253 else { throw .invalidName(text) }
  }

  /// As one of a server's names (RFC 5280 §4.2.1.6).
  var alternative: String {
    address == nil ? "DNS:\(text)" : "IP:\(text)"
  }

  /// As what an authority may vouch for (RFC 5280 §4.2.1.10): a name and all below it, or exactly
  /// that address.
  var constraint: String {
    guard let address else { return "DNS:\(text)" }
    let mask = IPAddress(bytes: [UInt8](repeating: 0xFF, count: address.bytes.count))
    return "IP:\(address)/\(mask)"
  }
}
