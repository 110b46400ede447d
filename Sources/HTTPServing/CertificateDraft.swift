import COpenSSL
import Foundation
import HTTPTransport

/// A certificate while it is being written: X.509 version 3, a random serial number, signed with
/// SHA-256 (RFC 5280 §4.1).
struct CertificateDraft {
  private let certificate: OpaquePointer
  /// Who signs; the draft itself when nobody else does.
  private let issuer: OpaquePointer

  /// A draft for a key; without dates those of the issuer, without an issuer signed by itself.
  init(
    subject: String, key: OpaquePointer, from: Date?, until: Date?, issuer: OpaquePointer? = nil
  ) throws(CertificateError) {
    guard let certificate = X509_new() else { throw .last }
    self.certificate = certificate
    self.issuer = issuer ?? certificate
    let isComplete =
      X509_set_version(certificate, 2) == 1
      && Self.setSerial(X509_get_serialNumber(certificate))
      && Self.addCommonName(subject, X509_get_subject_name(certificate))
      && X509_set_issuer_name(certificate, X509_get_subject_name(self.issuer)) == 1
      && X509_set_pubkey(certificate, key) == 1
      && Self.set(
        X509_getm_notBefore(certificate), from, or: issuer.map { X509_get0_notBefore($0) })
      && Self.set(
        X509_getm_notAfter(certificate), until, or: issuer.map { X509_get0_notAfter($0) })
    guard isComplete else {
      X509_free(certificate)
      throw .last
    }
  }

  /// Adds an extension in OpenSSL's own notation (its manual, `x509v3_config`).
  mutating func add(_ kind: Int32, _ value: String) throws(CertificateError) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    guard let made = X509V3_EXT_nconf_nid(nil, &context, kind, value) else { throw .last }
    defer { X509_EXTENSION_free(made) }
    guard X509_add_ext(certificate, made, -1) == 1 else { throw .last }
  }

  /// The finished certificate, an `X509` that is the caller's.
  func signed(with key: OpaquePointer) throws(CertificateError) -> OpaquePointer {
    guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw .last }
    return certificate
  }

  /// Gives up.
  func discard() { X509_free(certificate) }

  /// 127 random bits: positive, and not to be guessed.
  private static func setSerial(_ serial: UnsafeMutablePointer<ASN1_INTEGER>?) -> Bool {
    let number = BN_new()
    defer { BN_free(number) }
    return BN_rand(number, 127, 0, 0) == 1 && BN_to_ASN1_INTEGER(number, serial) != nil
  }

  private static func addCommonName(_ text: String, _ name: OpaquePointer?) -> Bool {
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1
  }

  private static func set(
    _ time: UnsafeMutablePointer<ASN1_TIME>?, _ date: Date?,
    or issuers: UnsafePointer<ASN1_TIME>??
  ) -> Bool {
    if let date { return ASN1_TIME_set(time, Int(date.timeIntervalSince1970)) != nil }
    return ASN1_STRING_copy(time, issuers ?? nil) == 1
  }
}

/// The keys of certificates.
enum CertificateKey {
  /// A new `EVP_PKEY` on P-256, the caller's; libcrypto's own generator supplies the randomness.
  static func generate() throws(CertificateError) -> OpaquePointer {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .last }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
      EVP_PKEY_generate(context, &key) == 1, let key
    else { throw .last }
    return key
  }
}

/// What OpenSSL writes into memory it allocates itself.
enum DERBytes {
  static func of(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8]
  {
    var start: UnsafeMutablePointer<UInt8>?
    let count = Int(encode(&start))
    defer { CRYPTO_free(start, #file, #line) }
    return count > 0 ? Array(UnsafeBufferPointer(start: start, count: count)) : []
  }
}

extension CertificateError {
  /// The last thing that went wrong in OpenSSL, in its words.
  static var last: CertificateError {
    let code = ERR_peek_last_error()
    defer { ERR_clear_error() }
    return .library(ERR_reason_error_string(code).map { String(cString: $0) } ?? "unknown")
  }
}
