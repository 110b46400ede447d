import GrainServices
import JOSE
import OpenSSLCrypto
import SystemClients
import Testing

@Suite("Native ID tokens")
struct NativeIDTokenTests {
  private static func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
  private static let token = Secret(
    text: "\(part(#"{"alg":"RS256","kid":"k"}"#)).\(part(#"{"sub":"1"}"#)).\(part("signature"))")

  @Test("every attempt has a nonce of its own, 32 random bytes of it (A7, A33, A34)")
  func freshNonce() throws {
    let asked = Locked<[Int]>([])
    let random = SystemRandom { count in
      asked.withLock { $0.append(count) }
      return SystemRandom.live.bytes(count)
    }
    let first = try NativeIDAttempt(.google, random: random).credential(idToken: Self.token)
    let second = try NativeIDAttempt(.google, random: random).credential(idToken: Self.token)
    #expect(first.rawNonce != second.rawNonce)
    #expect(asked.withLock { $0 } == [32, 32])
    #expect(Base64URL.decode(first.rawNonce.revealText())?.count == 32)
  }

  @Test("Apple gets the digest of the nonce in hex, the backend the nonce itself (A34)")
  func apple() throws {
    let attempt = NativeIDAttempt(.apple, random: .seeded(1))
    let shown = attempt.nonceForSDK
    let credential = try attempt.credential(
      idToken: Self.token, accessToken: Secret(text: "a"), fullName: "Ada")
    let digest = Digest.sha256(Array(credential.rawNonce.revealText().utf8))
    #expect(shown == digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    #expect(shown.count == 64)
    #expect(credential.idToken == Self.token)
    #expect(credential.provider == .apple)
    #expect(credential.fullName == "Ada")
  }

  @Test("Google's SDK gets the nonce as it is")
  func google() throws {
    let attempt = NativeIDAttempt(.google, random: .seeded(1))
    let shown = attempt.nonceForSDK
    #expect(try attempt.credential(idToken: Self.token).rawNonce.revealText() == shown)
  }

  @Test(
    "an authorization code is not an ID token (A35)",
    arguments: [
      "c52b4cd247a34b7f8a4d6b2f0a1c9e3d7.0.rrtzx.4WKd0q1v9sQ2mJ0u8e5b3w",
      "4/0AX4XfWh-abc_def", "c52b4cd247a34b7f8a4d6b2f0a1c9e3d7.0.rrtzx", "code", "a.b.c", "..",
    ])
  func codes(text: String) {
    #expect(throws: NativeIDToken.Refusal.notAnIDToken) {
      try NativeIDAttempt(.apple, random: .seeded(1)).credential(idToken: Secret(text: text))
    }
  }

  @Test("nothing, and a token that nobody signed, are refused as what they are")
  func others() {
    #expect(throws: NativeIDToken.Refusal.empty) {
      try NativeIDAttempt(.apple, random: .seeded(1)).credential(idToken: Secret(text: ""))
    }
    let parts = [Self.part(#"{"alg":"none"}"#), Self.part("{}"), ""]
    #expect(throws: NativeIDToken.Refusal.unsigned) {
      try NativeIDAttempt(.apple, random: .seeded(1))
        .credential(idToken: Secret(text: parts.joined(separator: ".")))
    }
  }

  @Test("only Apple and Google take this way; every account provider signs in elsewhere (A36)")
  func providers() {
    #expect(NativeIDProvider.allCases.map(\.rawValue) == ["apple", "google"])
    #expect(AccountProvider.allCases.allSatisfy { NativeIDProvider(rawValue: $0.rawValue) == nil })
  }

  @Test("who somebody is the backend says, whatever the token claims (A8)")
  func identity() async throws {
    let seen = Locked<[Secret]>([])
    let backend = NativeIDBackend { credential throws(NativeIDBackend.Failure) in
      seen.withLock { $0.append(credential.rawNonce) }
      return .signedIn(user: "backend-7")
    } sessions: {
      AsyncStream { $0.finish() }
    }
    let credential = try NativeIDAttempt(.apple, random: .live).credential(idToken: Self.token)
    #expect(try await backend.signIn(credential) == .signedIn(user: "backend-7"))
    #expect(seen.withLock { $0 } == [credential.rawNonce])
  }
}
