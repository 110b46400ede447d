import COpenSSL

/// A certificate with its private key, as a server shows it.
///
/// `@unchecked`: neither is changed after `init`, and OpenSSL counts their users atomically.
package final class TLSCertificate: @unchecked Sendable {
  private let certificate: OpaquePointer
  private let key: OpaquePointer

  /// Takes over an `X509` and the `EVP_PKEY` that belongs to it.
  package init(adopting certificate: OpaquePointer, key: OpaquePointer) {
    self.certificate = certificate
    self.key = key
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// Gives the pair to one connection; false if the two do not belong together.
  func isUsed(by session: OpaquePointer) -> Bool {
    SSL_use_cert_and_key(session, certificate, key, nil, 1) == 1
  }
}
