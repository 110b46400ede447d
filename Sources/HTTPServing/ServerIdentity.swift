package import HTTPTransport
import SystemClients

/// What a server proves itself with over TLS: one certificate, or one for each of many names.
package struct ServerIdentity: Sendable {
  let context: TLSContext

  /// The certificate `choose` gives for the name a client asks for, in lower case; `nil` from a client
  /// that names none, `nil` to refuse the connection.
  ///
  /// - Throws: `HTTPError.tls` when OpenSSL cannot work at all.
  package init(
    choosing choose: @escaping @Sendable (String?) -> TLSCertificate?
  ) throws(HTTPError) {
    context = try TLSContext(choosing: choose)
  }

  /// One certificate, whatever name a client asks for.
  ///
  /// - Throws: `HTTPError.tls` when OpenSSL cannot work at all.
  package init(_ certificate: TLSCertificate) throws(HTTPError) {
    try self.init { _ in certificate }
  }

  /// A certificate for each name when it is first asked for, so that one port can serve them all.
  ///
  /// Clients take no certificate for `*.test`: too much would lie below it. So every name gets one
  /// of its own. A name that fits none of these is refused before anything else is said.
  ///
  /// - Parameters:
  ///   - authority: signs.
  ///   - names: DNS names, `*.test` for every name below `test`, and IP addresses for clients that
  ///     connect to an address.
  /// - Throws: `HTTPError.tls` when OpenSSL cannot work at all.
  package init(_ authority: CertificateAuthority, names: [String]) throws(HTTPError) {
    let shelf = CertificateShelf(authority: authority, names: names)
    try self.init { shelf.certificate(for: $0) }
  }
}

/// The certificates one server has shown so far.
private final class CertificateShelf: Sendable {
  /// Names below a wide one come from outside: they must not fill the memory.
  private static let capacity = 1000

  private let authority: CertificateAuthority
  private let names: Set<String>
  /// With their leading dot.
  private let suffixes: [String]
  private let addresses: [String]
  private let made = Locked<[String: TLSCertificate]>([:])

  init(authority: CertificateAuthority, names: [String]) {
    self.authority = authority
    let lower = names.map { $0.lowercased() }
    addresses = lower.filter { IPAddress($0) != nil }
    suffixes = lower.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst()) }
    self.names = Set(lower).subtracting(addresses)
  }

  func certificate(for name: String?) -> TLSCertificate? {
    // Who names nobody has connected to an address.
    guard let name else { return addresses.isEmpty ? nil : certificate("", for: addresses) }
    guard names.contains(name) || suffixes.contains(where: name.hasSuffix) else { return nil }
    return certificate(name, for: [name])
  }

  private func certificate(_ key: String, for names: [String]) -> TLSCertificate? {
    made.withLock { made in
      if let known = made[key] { return known }
      // What cannot be in a certificate is refused like any other name that is not ours.
      guard let new = try? authority.certificate(for: names) else { return nil }
      if made.count >= Self.capacity { made = [:] }
      made[key] = new
      return new
    }
  }
}
