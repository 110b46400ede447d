import COpenSSL
package import Foundation
package import HTTPTransport

/// A certificate authority made while the program runs, for servers on this machine.
///
/// It may vouch for the names it was made for and for nothing else (RFC 5280 §4.2.1.10): whoever
/// trusts it in a browser lends it no more than that. Keys are P-256.
///
/// `@unchecked`: certificate and key are not changed after `init`, and signing only reads them.
package final class CertificateAuthority: @unchecked Sendable {
  private let authority: OpaquePointer
  private let key: OpaquePointer

  /// A new authority.
  ///
  /// - Parameters:
  ///   - name: what people read in a list of authorities.
  ///   - names: DNS names, each with everything below it, and IP addresses.
  ///   - from: the first moment it is good for.
  ///   - until: the last one; none of its certificates lives longer.
  /// - Throws: `CertificateError.invalidName`, or `.library`.
  package init(
    name: String, for names: [String], from: Date, until: Date
  ) throws(CertificateError) {
    let key = try CertificateKey.generate()
    let permitted = try names.map { name throws(CertificateError) in
      "permitted;\(try SubjectName(name).constraint)"
    }
    var draft = try CertificateDraft(subject: name, key: key, from: from, until: until)
    do throws(CertificateError) {
      try draft.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
      try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign")
      try draft.add(NID_subject_key_identifier, "hash")
      try draft.add(NID_name_constraints, "critical,\(permitted.joined(separator: ","))")
      authority = try draft.signed(with: key)
    } catch {
      draft.discard()
      EVP_PKEY_free(key)
      throw error
    }
    self.key = key
  }

  /// An authority of earlier, from ``certificate`` and ``privateKey``.
  ///
  /// - Throws: `CertificateError.unreadable` for anything else.
  package init(certificate: [UInt8], privateKey: [UInt8]) throws(CertificateError) {
    let authority = certificate.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_X509(nil, &start, bytes.count)
    }
    let key = privateKey.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_AutoPrivateKey(nil, &start, bytes.count)
    }
    ERR_clear_error()
    guard let authority, let key, X509_check_private_key(authority, key) == 1 else {
      X509_free(authority)
      EVP_PKEY_free(key)
      throw .unreadable
    }
    self.authority = authority
    self.key = key
  }

  deinit {
    X509_free(authority)
    EVP_PKEY_free(key)
  }

  /// The certificate (DER). Not a secret.
  package var certificate: [UInt8] {
    DERBytes.of { i2d_X509(authority, $0) }
  }

  /// The private key (DER, unencrypted).
  package var privateKey: [UInt8] {
    DERBytes.of { i2d_PrivateKey(key, $0) }
  }

  /// The certificate in the form every program takes for a trust anchor (RFC 7468).
  package var pem: String {
    let text = Data(certificate).base64EncodedString(options: [
      .lineLength64Characters, .endLineWithLineFeed,
    ])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
  }

  /// The last moment it is good for, in whole seconds.
  package var until: Date {
    var time = tm()
    ASN1_TIME_to_tm(X509_get0_notAfter(authority), &time)
    return Date(timeIntervalSince1970: TimeInterval(timegm(&time)))
  }

  /// A certificate for a server of those names, with a key of its own.
  ///
  /// - Parameters:
  ///   - names: DNS names, also `*.a.test`, and IP addresses; clients accept no others.
  ///   - from: the first moment it is good for; `nil` for the authority's own.
  ///   - until: the last one; `nil` for the authority's own.
  /// - Returns: the pair, to be shown by a server.
  /// - Throws: `CertificateError.invalidName`, or `.library`.
  package func certificate(
    for names: [String], from: Date? = nil, until: Date? = nil
  ) throws(CertificateError) -> TLSCertificate {
    let alternatives = try names.map { name throws(CertificateError) in
      try SubjectName(name).alternative
    }
    let key = try CertificateKey.generate()
    var draft = try CertificateDraft(
      subject: "Sandbox server", key: key, from: from, until: until, issuer: authority)
    do throws(CertificateError) {
      try draft.add(NID_basic_constraints, "critical,CA:FALSE")
      try draft.add(NID_key_usage, "critical,digitalSignature")
      try draft.add(NID_ext_key_usage, "serverAuth")
      try draft.add(NID_subject_alt_name, alternatives.joined(separator: ","))
      try draft.add(NID_subject_key_identifier, "hash")
      try draft.add(NID_authority_key_identifier, "keyid:always")
      return TLSCertificate(adopting: try draft.signed(with: self.key), key: key)
    } catch {
      draft.discard()
      EVP_PKEY_free(key)
      throw error
    }
  }
}

/// Why there is no certificate.
package enum CertificateError: Error, Equatable, Sendable {
  /// Neither a DNS name nor an IP address.
  case invalidName(String)
  /// The bytes are no certificate with its key.
  case unreadable
  /// OpenSSL refused, with its reason.
  case library(String)
}
