import COpenSSL
import Glibc

/// The machine's trust anchors, as requests use them; for a report.
package enum TrustStore {
  /// How many anchors the next connection will have at hand: those of the bundle, and a file each in
  /// the folder of anchors that OpenSSL looks into by name.
  ///
  /// - Throws: `HTTPError.tls` where TLS cannot be set up at all.
  package static func count() throws(HTTPError) -> Int {
    let context = try TLSContext(trustAnchors: nil)
    let objects = SSL_CTX_get_cert_store(context.pointer).flatMap(X509_STORE_get0_objects)
    let loaded = objects.map { Int(OPENSSL_sk_num($0)) } ?? 0
    return loaded > 0 ? loaded : filesInFolder()
  }

  private static func filesInFolder() -> Int {
    let named = getenv("SSL_CERT_DIR") ?? X509_get_default_cert_dir().map { .init(mutating: $0) }
    guard let named, let stream = opendir(named) else { return 0 }
    defer { closedir(stream) }
    var count = 0
    while let entry = readdir(stream) {
      // Anchors lie under a hash of their subject and a number, such as `5ed36f99.0`.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.split(separator: ".").count == 2, name.hasSuffix(".0") { count += 1 }
    }
    return count
  }
}
