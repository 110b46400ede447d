import Foundation
import JOSE
import OpenSSLCrypto
import StrictJSON
import Testing

@testable import Sandbox

@Suite("The judge of DPoP proofs")
struct DPoPJudgeTests {
  private typealias Parts = AuthorizationRig.ProofParts
  private let judge = DPoPJudge(
    nonces: DPoPNonces(secret: Array(repeating: 7, count: 32)), replays: ProofReplayMemory())
  private let now = Date(timeIntervalSince1970: 1_772_366_400)
  private let url = "http://127.0.0.1:2583/oauth/par"
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  /// The verdict on a good proof changed in one point: `good`, or the refusal's text.
  private func verdict(
    token: String? = nil, at time: Date? = nil, key: P256PrivateKey? = nil,
    _ change: (inout Parts) -> Void = { _ in }
  ) throws -> String {
    let proof = try rig.proof(
      "POST", url, nonce: judge.nonces.next(now: now), token: token, key: key, change: change)
    return verdict([proof], token: token, at: time ?? now)
  }

  private func verdict(_ fields: [String], token: String? = nil, at time: Date) -> String {
    do throws(DPoPRefusal) {
      let proof = try judge.judge(
        fields: fields, method: "POST", url: url, accessToken: token, now: time)
      return proof == nil ? "none" : "good"
    } catch {
      switch error {
      case .useNonce(let text): return "nonce: \(text)"
      case .invalidProof(let text): return text
      }
    }
  }

  @Test("a proof as RFC 9449 has it is good and names its key")
  func good() throws {
    let proof = try rig.proof("POST", url, nonce: judge.nonces.next(now: now))
    let verdict = try judge.judge(
      fields: [proof], method: "POST", url: url, accessToken: nil, now: now)
    #expect(verdict?.thumbprint == JWK(rig.key.publicKey).thumbprint)
    #expect(try self.verdict(token: "token") == "good")
  }

  @Test("the published example proof passes all but its nonce, which is not ours")
  func published() throws {
    let proof = """
      eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwiY3J2IjoiUC0yNTYiLCJ4Ijoi\
      VXI5VTY3cHl4MDE2cDVUY3lXUEVfeFdLVWhDUzVLUXdSN2hzODd5dHpYbyIsInkiOiJKXzh0bjU0NnpJWnhMZFpZa1dwb\
      U9LX2Yzc1VqbUhyZmJmTVllRWRiMkJzIn19.eyJqdGkiOiJjMkZ0Y0d4bExXcDBhUzB3TURBeCIsImh0bSI6IkdFVCIsI\
      mh0dSI6Imh0dHBzOi8vcGRzLmV4YW1wbGUubmV0L3hycGMvY29tLmF0cHJvdG8uc2VydmVyLmdldFNlc3Npb24iLCJpYX\
      QiOjE3NjcyMjU2MDAsIm5vbmNlIjoiYm05dVkyVXRNUSIsImF0aCI6InJKa3JKWDJ0bWJJT3dpWFM5cEY5eUJnM3ZfdGJ\
      TSFIxZzVxTmRpME54MVEifQ.Vm2AeC5wlAaeCOy8mQRMiYzeDifwvWnoo4R2a1sI9iGal59xh03_BdOJjQHe_XwDuqDDx\
      hgFH-bE8ClmWGAxEw
      """
    #expect(throws: DPoPRefusal.nonceMismatch) {
      try judge.judge(
        fields: [proof], method: "GET",
        url: "https://pds.example.net/xrpc/com.atproto.server.getSession",
        accessToken: "eyJ0eXAiOiJhdCtqd3QifQ.e30.c2ln",
        now: Date(timeIntervalSince1970: 1_767_225_600))
    }
  }

  @Test("no header is no proof; an empty one, two, and what is no JWS are refused")
  func header() throws {
    #expect(verdict([], at: now) == "none")
    #expect(verdict([""], at: now) == "DPoP header cannot be empty")
    #expect(verdict(["a", "b"], at: now) == "DPoP header must contain a single proof")
    let text = "Failed to verify DPoP proof: Invalid Compact JWS"
    #expect(verdict(["a.b"], at: now) == text)
  }

  @Test("type, algorithm and key must be a proof's")
  func joseHeader() throws {
    let prefix = "Failed to verify DPoP proof: "
    #expect(try verdict { $0.header["typ"] = "application/DPoP+JWT" } == "good")
    #expect(
      try verdict { $0.header["typ"] = "JWT" } == prefix + "unexpected \"typ\" JWT header value")
    #expect(
      try verdict { $0.header["typ"] = nil } == prefix + "unexpected \"typ\" JWT header value")
    #expect(
      try verdict { $0.header["jwk"] = nil }
        == prefix + "\"jwk\" (JSON Web Key) JOSE Header must be a JSON object")
    #expect(
      try verdict {
        var jwk = $0.header["jwk"]?.objectValue ?? [:]
        jwk["d"] = "MMRzR3iLqqCbItujk_C75RyfLkgGv5xOrNP6IgAa0Xk"
        $0.header["jwk"] = .object(jwk)
      } == prefix + "\"jwk\" (JSON Web Key) JOSE Header must be a public key")
    let other = P256PrivateKey.generate()
    #expect(
      try verdict { $0.header["jwk"] = .object(JWK(other.publicKey).json) }
        == prefix + "signature verification failed")
  }

  @Test(
    "the issue time may be 190 seconds behind and 180 ahead (wire §6)",
    arguments: [
      (190.0, "good"), (-180, "good"),
      (191, "\"iat\" claim timestamp check failed (too far in the past)"),
      (-181, "\"iat\" claim timestamp check failed (it should be in the past)"),
    ])
  func issueTime(age: Double, expected: String) throws {
    let text = expected == "good" ? expected : "Failed to verify DPoP proof: " + expected
    let issued = Int(now.timeIntervalSince1970 - age)
    #expect(try verdict { $0.claims["iat"] = .number(JSONNumber(issued)) } == text)
  }

  @Test("`iat` is needed and a number; `exp` and `nbf` are checked where they are")
  func otherTimes() throws {
    let prefix = "Failed to verify DPoP proof: "
    let seconds = Int(now.timeIntervalSince1970)
    #expect(
      try verdict { $0.claims["iat"] = nil } == prefix + "missing required \"iat\" claim")
    #expect(
      try verdict { $0.claims["iat"] = "now" } == prefix + "\"iat\" claim must be a number")
    #expect(try verdict { $0.claims["exp"] = .number(JSONNumber(seconds - 179)) } == "good")
    #expect(
      try verdict { $0.claims["exp"] = .number(JSONNumber(seconds - 180)) }
        == prefix + "\"exp\" claim timestamp check failed")
    #expect(
      try verdict { $0.claims["nbf"] = .number(JSONNumber(seconds + 181)) }
        == prefix + "\"nbf\" claim timestamp check failed")
  }

  @Test("identifier, method and target must be this request's (FB-A9)")
  func claims() throws {
    #expect(try verdict { $0.claims["jti"] = nil } == "DPoP \"jti\" missing")
    #expect(try verdict { $0.claims["jti"] = "" } == "DPoP \"jti\" missing")
    #expect(try verdict { $0.claims["htm"] = "post" } == "DPoP \"htm\" mismatch")
    #expect(try verdict { $0.claims["htu"] = nil } == "Invalid DPoP \"htu\" type")
    #expect(try verdict { $0.claims["htu"] = "x" } == "DPoP \"htu\" is not a valid URL")
    #expect(
      try verdict { $0.claims["htu"] = "http://localhost:2583/oauth/par" }
        == "DPoP \"htu\" mismatch")
    #expect(try verdict { $0.claims["htu"] = .string(url + "?a=b#c") } == "good")
    #expect(
      try verdict { $0.claims["htu"] = "http://u@127.0.0.1:2583/oauth/par" }
        == "DPoP \"htu\" must not contain credentials")
  }

  @Test("a missing or foreign nonce is a challenge, a wrong type a broken proof")
  func nonce() throws {
    let challenge = "nonce: Authorization server requires nonce in DPoP proof"
    #expect(try verdict { $0.claims["nonce"] = nil } == challenge)
    #expect(try verdict { $0.claims["nonce"] = "old" } == "nonce: DPoP \"nonce\" mismatch")
    #expect(try verdict { $0.claims["nonce"] = 5 } == "Invalid DPoP \"nonce\" type")
  }

  @Test("the token's hash belongs to the resource server and to that token only (FB-A10)")
  func tokenHash() throws {
    #expect(try verdict { $0.claims["ath"] = "x" } == "DPoP \"ath\" claim not allowed")
    #expect(try verdict(token: "t") { $0.claims["ath"] = nil } == "DPoP \"ath\" mismatch")
    #expect(try verdict(token: "t") { $0.claims["ath"] = "x" } == "DPoP \"ath\" mismatch")
  }

  @Test("a proof is good once; one refused for its nonce may come again")
  func replay() throws {
    #expect(
      try verdict {
        $0.claims["jti"] = "one"; $0.claims["nonce"] = nil
      } != "good")
    #expect(try verdict { $0.claims["jti"] = "one" } == "good")
    #expect(try verdict { $0.claims["jti"] = "one" } == "DPoP proof replayed")
  }

  @Test("a skewed clock is a broken proof before it is a missing nonce")
  func order() throws {
    let text = try verdict(at: now + 1000) { $0.claims["nonce"] = nil }
    #expect(text.hasSuffix("(too far in the past)"))
    #expect(
      try verdict(token: "t") {
        $0.claims["nonce"] = nil; $0.claims["ath"] = nil
      }
        == "nonce: Authorization server requires nonce in DPoP proof")
  }
}
