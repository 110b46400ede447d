import Foundation
import HTTPTransport
import JOSE
import OAuth
import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

@Suite("A proof of possession")
struct DPoPProverTests {
  private let key: P256PrivateKey
  private let prover: DPoPProver

  init() throws {
    let scalar = try #require(Base64URL.decode("MMRzR3iLqqCbItujk_C75RyfLkgGv5xOrNP6IgAa0Xk"))
    key = try P256PrivateKey(rawRepresentation: Secret(scalar))
    prover = DPoPProver(key: key)
  }

  @Test("the thumbprint is the one servers compute")
  func thumbprint() {
    #expect(prover.thumbprint == "ip2NRrOG0Ed8SjF39WTegfBVo1ykZ1jaAyzosS8wd40")
  }

  @Test("at a resource server a proof holds exactly the claims strict servers want (G35, FB-A10)")
  func resourceServer() throws {
    let proof = try CompactJWS(
      parsing: prover.proof(
        method: "GET",
        url: OAuthFixture.url(
          "https://pds.example.net/xrpc/com.atproto.server.getSession?actor=did%3Aplc%3Ax#y"),
        accessToken: Secret(text: "eyJ0eXAiOiJhdCtqd3QifQ.e30.c2ln"), nonce: "bm9uY2UtMQ",
        now: Date(timeIntervalSince1970: 1_767_225_600.9), random: .seeded(1)))
    #expect(proof.isSigned(by: key.publicKey))
    #expect(proof.signature.count == 64)
    #expect(proof.header.keys == ["typ", "alg", "jwk"])
    #expect(proof.header["typ"] == "dpop+jwt")
    #expect(proof.header["alg"] == "ES256")
    #expect(
      proof.header["jwk"] == [
        "kty": "EC", "crv": "P-256", "x": "Ur9U67pyx016p5TcyWPE_xWKUhCS5KQwR7hs87ytzXo",
        "y": "J_8tn546zIZxLdZYkWpmOK_f3sUjmHrfbfMYeEdb2Bs",
      ])
    let claims = try proof.claims()
    #expect(Set(claims.keys) == ["jti", "htm", "htu", "iat", "nonce", "ath"])
    #expect(claims["htm"] == "GET")
    #expect(claims["htu"] == "https://pds.example.net/xrpc/com.atproto.server.getSession")
    #expect(claims["iat"] == 1_767_225_600)
    #expect(claims["nonce"] == "bm9uY2UtMQ")
    #expect(claims["ath"] == "rJkrJX2tmbIOwiXS9pF9yBg3v_tbSHR1g5qNdi0Nx1Q")
    #expect(try #require(claims["jti"]?.stringValue).count == 22)
  }

  @Test("at an authorization server a proof has no ath, and no nonce before one is known")
  func authorizationServer() throws {
    let proof = try CompactJWS(
      parsing: prover.proof(
        method: "POST", url: OAuthFixture.url("https://as.test/oauth/par"), now: Date(),
        random: .seeded(1)))
    #expect(Set(try proof.claims().keys) == ["jti", "htm", "htu", "iat"])
  }

  @Test("no two proofs share a jti (G88)")
  func uniqueness() throws {
    let url = try OAuthFixture.url("https://as.test/")
    let identifiers = try (0..<200).map { _ in
      try CompactJWS(
        parsing: prover.proof(method: "POST", url: url, now: Date(), random: .live)
      ).claims()["jti"]?.stringValue
    }
    #expect(Set(identifiers).count == 200)
  }

  @Test(
    "the target is the URL without query, fragment and user, its port kept (FB-A9)",
    arguments: [
      ("https://h.test/a/b?c=d#e", "https://h.test/a/b"),
      ("https://h.test:8443/a%20b?x=https://y/@z", "https://h.test:8443/a%20b"),
      ("https://u:p@h.test/a@b", "https://h.test/a@b"), ("https://h.test", "https://h.test/"),
      ("https://h.test?x", "https://h.test/"), ("http://[::1]:2583/x", "http://[::1]:2583/x"),
    ])
  func target(url: String, target: String) throws {
    #expect(DPoPProver.target(of: try OAuthFixture.url(url)) == target)
  }
}
