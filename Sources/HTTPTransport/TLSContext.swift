import COpenSSL
import Glibc

/// The settings many TLS connections share: versions, trust anchors, a server's certificate.
///
/// `@unchecked`: an `SSL_CTX` that is not changed any more may be used by several threads
/// (OpenSSL's manual, `ossl-guide-tls-introduction`); it is changed in the initialisers only.
package final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  private let chooser: Chooser?

  /// For clients: the certificate must lead to a trust anchor, TLS 1.2 at least.
  ///
  /// - Parameter trustAnchors: a PEM file with the anchors; `nil` for those of the system, where
  ///   `SSL_CERT_FILE` and `SSL_CERT_DIR` count as with any OpenSSL program.
  /// - Throws: `HTTPError.tls` if the file holds no certificate.
  package init(trustAnchors: String?) throws(HTTPError) {
    pointer = try Self.make(TLS_client_method())
    chooser = nil
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

  /// For servers: every connection gets the certificate chosen for the name its client asks for.
  ///
  /// - Parameter choose: called on the server's own thread with that name in lower case, or `nil` from
  ///   a client that names none (it connects to an address); `nil` refuses the connection with the
  ///   alert `unrecognized_name`.
  /// - Throws: `HTTPError.tls` when OpenSSL cannot work at all.
  /// - SeeAlso: RFC 6066 §3
  package init(
    choosing choose: @escaping @Sendable (String?) -> TLSCertificate?
  ) throws(HTTPError) {
    pointer = try Self.make(TLS_server_method())
    let chooser = Chooser(choose: choose)
    self.chooser = chooser
    // A client asks for little here and comes back often: tickets would only be more to write.
    SSL_CTX_set_num_tickets(pointer, 0)
    grain_ssl_on_server_name(
      pointer,
      { ssl, alert, chooser in
        guard let ssl, let chooser else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map {
          String(cString: $0).lowercased()
        }
        let choose = Unmanaged<Chooser>.fromOpaque(chooser).takeUnretainedValue().choose
        guard let chosen = choose(name), chosen.isUsed(by: ssl) else {
          alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
          return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        return SSL_TLSEXT_ERR_OK
      }, Unmanaged.passUnretained(chooser).toOpaque())
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

/// What a server's context asks for its certificates; as an object, so that C can hold it.
private final class Chooser: Sendable {
  let choose: @Sendable (String?) -> TLSCertificate?

  init(choose: @escaping @Sendable (String?) -> TLSCertificate?) {
    self.choose = choose
  }
}
