import COpenSSL
import Foundation
package import HTTPServing
package import HTTPTransport

/// A certificate authority of one test, and the file that makes a client trust it.
package struct TestAuthority {
  /// The authority itself.
  package let authority: CertificateAuthority
  private let folder: TemporaryFolder

  /// A new authority for everything below `.test` and `.example`, and for loopback.
  package init() throws {
    folder = try TemporaryFolder()
    authority = try CertificateAuthority(
      name: "Test Authority", for: ["test", "example", "127.0.0.1", "::1"],
      from: Date(timeIntervalSinceNow: -100 * 86_400), until: Date(timeIntervalSinceNow: 86_400))
    try Data(authority.pem.utf8).write(to: URL(filePath: anchors))
  }

  /// The file with the authority's certificate.
  package var anchors: String { folder.path("ca.pem") }

  /// A certificate of nobody else: signed by its own key, and in nobody's file.
  package static func selfSigned(_ name: String) throws -> TLSCertificate {
    let authority = try CertificateAuthority(
      name: name, for: [name], from: Date(timeIntervalSinceNow: -60),
      until: Date(timeIntervalSinceNow: 60))
    let certificate = authority.certificate.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_X509(nil, &start, bytes.count)
    }
    let key = authority.privateKey.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_AutoPrivateKey(nil, &start, bytes.count)
    }
    guard let certificate, let key else { throw CertificateError.unreadable }
    return TLSCertificate(adopting: certificate, key: key)
  }

  /// What a server needs to prove the names, on one certificate; with negative days it has expired.
  package func server(_ names: String..., days: Int = 1) throws -> ServerIdentity {
    try ServerIdentity(certificate(names, days: days))
  }

  /// The certificate of such a server.
  package func certificate(_ names: [String], days: Int = 1) throws -> TLSCertificate {
    try authority.certificate(
      for: names, until: days < 0 ? Date(timeIntervalSinceNow: Double(days) * 86_400) : nil)
  }
}
