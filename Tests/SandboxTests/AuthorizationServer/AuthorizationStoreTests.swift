import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SQLiteDatabase
import StrictJSON
import Testing

@testable import Sandbox

@Suite("What outlives a restart, and what may leak")
struct AuthorizationStoreTests {
  @Test("sessions, codes, open pages and browsers survive a restart; nonces do not")
  func restart() async throws {
    let store = try SandboxStore.inMemory()
    let before = try AuthorizationRig(store: store)
    let tokens = try await before.tokens()
    let second = try await before.push([
      "code_challenge": "another-challenge-of-43-characters-aaaaaaaaa"
    ])
    let nonce = try await before.currentNonce()
    let after = try AuthorizationRig(store: store, seed: 8, key: before.key)
    #expect(
      try await after.access(tokens.access, nonce: nonce).outcome
        == "401 use_dpop_nonce: DPoP \"nonce\" mismatch")
    #expect(try await after.access(tokens.access).outcome == "granted")
    #expect(try await after.refresh(tokens.refresh).status == 200)
    let callback = try await after.visitor().approve(
      authorizationURL: second, handle: "alice.test", password: "sandbox")
    #expect(callback.field("code") != nil)
  }

  @Test("two servers with one store know nothing of each other's grants")
  func apart() async throws {
    let store = try SandboxStore.inMemory()
    let one = try AuthorizationRig(store: store)
    let tokens = try await one.tokens()
    let other = try AuthorizationRig(
      store: store, issuer: "http://127.0.0.1:2599", key: one.key)
    let fields = [
      ("grant_type", "refresh_token"), ("client_id", AuthorizationRig.clientID),
      ("refresh_token", tokens.refresh),
    ]
    let challenge = try await other.post("/oauth/revoke", [])
    let proof = try other.proof(
      "POST", "http://127.0.0.1:2599/oauth/token", nonce: challenge.headers["DPoP-Nonce"])
    #expect(
      try await other.post("/oauth/token", fields, proof: proof).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("every secret handed out holds the canary, and none is in the store")
  func canary() async throws {
    let rig = try AuthorizationRig()
    let code = try await rig.code()
    let response = try await rig.signedPost("/oauth/token", AuthorizationRig.codeFields(code))
    let tokens = try Tokens(response)
    let nonce = try #require(response.headers["DPoP-Nonce"])
    for secret in [code, tokens.access, tokens.refresh, nonce] {
      #expect(secret.contains("GRAINCANARY"))
    }
    let stored = try await rig.store.read { database in
      let tables = try database.query(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'auth%'")
      return try tables.compactMap { $0.text("name") }.map { table in
        (table, try database.query("SELECT * FROM \(table)").map { "\($0.values)" }.joined())
      }
    }
    #expect(stored.count == 7)
    for (table, text) in stored { #expect(!text.contains("GRAINCANARY"), "\(table)") }
    #expect(stored.contains { $0.0 == "auth_session" && $0.1.contains(FakeDirectory.alice) })
  }
}
