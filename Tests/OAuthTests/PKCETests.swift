import Foundation
import OAuth
import OpenSSLCrypto
import SystemClients
import Testing

@Suite("The proof key of a code exchange")
struct PKCETests {
  @Test(
    "the challenge is the base64url of the verifier's SHA-256 (G15, G78)",
    arguments: [
      (
        "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
      ),
      (
        "wire-reference-verifier-0123456789-ABCDEFGHIJ._~",
        "TJkHmWTIhu8Hnn6a8rIOA4WQsR6qzv8TIF4q3qv-o6c"
      ),
    ])
  func vectors(verifier: String, challenge: String) {
    #expect(PKCE(verifier: Secret(text: verifier)).challenge == challenge)
  }

  @Test("every attempt gets a verifier of its own, of 32 random bytes")
  func fresh() {
    let random = SystemRandom.live
    let first = PKCE.make(random: random)
    #expect(first.verifier.count == 43)
    #expect(first != PKCE.make(random: random))
    #expect(PKCE.method == "S256")
  }
}
