import Foundation
import GrainTestSupport
import HTTPServing
import Testing

@Suite("Certificates made at run time")
struct CertificateTests {
  private let day = TimeInterval(86_400)

  @Test("an authority kept by its bytes is the same one later")
  func kept() throws {
    let until = Date(timeIntervalSince1970: 2_000_000_000)
    let made = try CertificateAuthority(
      name: "x", for: ["test"], from: until - day, until: until)
    let kept = try CertificateAuthority(
      certificate: made.certificate, privateKey: made.privateKey)
    #expect(kept.certificate == made.certificate)
    #expect(kept.until == until)
    #expect(kept.pem == made.pem)
    #expect(kept.pem.hasPrefix("-----BEGIN CERTIFICATE-----\nMII"))
    _ = try kept.certificate(for: ["a.test"])
  }

  @Test("a certificate without its own key is not taken")
  func foreignKey() throws {
    let one = try TestAuthority().authority
    let two = try TestAuthority().authority
    for (certificate, key) in [
      (one.certificate, two.privateKey), ([], one.privateKey), (one.certificate, []),
      (Array(one.certificate.dropLast()), one.privateKey),
    ] {
      #expect(throws: CertificateError.unreadable) {
        try CertificateAuthority(certificate: certificate, privateKey: key)
      }
    }
  }

  @Test(
    "only names and addresses get a certificate: no name brings a second one along",
    arguments: [
      "", ".", "a..test", "a.test,DNS:b.test", "DNS:a.test", "a b", "ä.test", "a.test\n", "*", "*.",
      "a.*.test", "127.0.0.1/8", "[::1]", String(repeating: "a", count: 64) + ".test",
    ])
  func invalid(name: String) throws {
    let authority = try TestAuthority().authority
    #expect(throws: CertificateError.invalidName(name)) {
      try authority.certificate(for: ["a.test", name])
    }
  }
}
