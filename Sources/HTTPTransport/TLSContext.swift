import COpenSSL
import Glibc

/// The settings many TLS connections share: versions, trust anchors, a server's certificate.
///
/// `@unchecked`: an `SSL_CTX` that is not changed any more may be used by several threads
/// (OpenSSL's manual, `ossl-guide-tls-introduction`); it is changed in the initialisers only.
package final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  /// For clients: the certificate must lead to a trust anchor, TLS 1.2 at least.
  ///
  /// - Parameter trustAnchors: a PEM file with the anchors; `nil` for those of the system, where
  ///   `SSL_CERT_FILE` and `SSL_CERT_DIR` count as with any OpenSSL program.
  /// - Throws: `HTTPError.tls` if the file holds no certificate.
  package init(trustAnchors: String?) throws(HTTPError) {
    pointer = try Self.make(TLS_client_method())
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    if let trustAnchors {
      guard SSL_CTX_load_verify_locations(pointer, trustAnchors, nil) == 1 else {
        throw .tls("no trust anchors in \(trustAnchors): \(TLSSession.lastReason())")
      }
    } else {
      SSL_CTX_set_default_verify_paths(pointer)
      Self.loadSystemBundle(pointer)
    }
    ERR_clear_error()
  }

  /// For servers.
  ///
  /// - Parameters:
  ///   - certificate: a PEM file with the server's certificate and the chain above it.
  ///   - privateKey: a PEM file with the certificate's key.
  /// - Throws: `HTTPError.tls` if the files do not hold a matching pair.
  package init(certificate: String, privateKey: String) throws(HTTPError) {
    pointer = try Self.make(TLS_server_method())
    guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1,
      SSL_CTX_use_PrivateKey_file(pointer, privateKey, SSL_FILETYPE_PEM) == 1,
      SSL_CTX_check_private_key(pointer) == 1
    else { throw .tls("no certificate: \(TLSSession.lastReason())") }
  }

  deinit { SSL_CTX_free(pointer) }

  private static func make(_ method: OpaquePointer?) throws(HTTPError) -> OpaquePointer {
    guard let pointer = SSL_CTX_new(method) else { throw .tls(TLSSession.lastReason()) }
    _ = grain_ssl_require_tls12(pointer)
    grain_ssl_allow_partial_writes(pointer)
    return pointer
  }

  /// An OpenSSL built elsewhere looks for anchors where its builder kept them: these are the places
  /// of the common distributions.
  private static func loadSystemBundle(_ pointer: OpaquePointer) {
    guard getenv("SSL_CERT_FILE") == nil, getenv("SSL_CERT_DIR") == nil else { return }
    let places = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
    if let own = X509_get_default_cert_file(), access(own, R_OK) == 0 { return }
    for place in places where access(place, R_OK) == 0 {
      SSL_CTX_load_verify_locations(pointer, place, nil)
      return
    }
  }
}
