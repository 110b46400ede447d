import ATOAuth
import ATSyntax
import Foundation
import OpenSSLCrypto
import Testing

@Suite("Attempts, grants and revocations on their way into the vault")
struct SealingTests {
  private let world = World()

  @Test("a grant comes back whole: tokens, scope, endpoints and key are one record (G29)")
  func grant() throws {
    let grant = try world.grant()
    let read = try Grant(unsealed: grant.sealable())
    #expect(read.did == grant.did)
    #expect(read.handle == grant.handle)
    #expect(read.pds == grant.pds)
    #expect(read.issuer == grant.issuer)
    #expect(read.tokenEndpoint == grant.tokenEndpoint)
    #expect(read.revocationEndpoint == grant.revocationEndpoint)
    #expect(read.clientID == grant.clientID)
    #expect(read.tokens == grant.tokens)
    #expect(read.dpopKey.rawRepresentation == grant.dpopKey.rawRepresentation)
  }

  @Test("what a server did not give stays absent")
  func bareGrant() throws {
    let full = try world.grant()
    let bare = Grant(
      did: full.did, handle: nil, pds: full.pds, issuer: full.issuer,
      tokenEndpoint: full.tokenEndpoint, revocationEndpoint: nil, clientID: full.clientID,
      tokens: TokenSet(
        accessToken: Secret(text: "a"), refreshToken: nil, expiresAt: nil, scope: "atproto"),
      dpopKey: full.dpopKey)
    let read = try Grant(unsealed: bare.sealable())
    #expect(read.handle == nil)
    #expect(read.revocationEndpoint == nil)
    #expect(read.tokens == bare.tokens)
  }

  @Test("an attempt comes back with everything a callback is checked against")
  func attempt() async throws {
    let attempt = try await world.flow().begin(.account(.handle(Handle("alice.test")))).attempt
    let read = try AuthorizationAttempt(unsealed: attempt.sealable())
    #expect(read.state == attempt.state)
    #expect(read.verifier == attempt.verifier)
    #expect(read.issuer == attempt.issuer)
    #expect(read.client == attempt.client)
    #expect(read.route == attempt.route)
    #expect(read.expectedDID == attempt.expectedDID)
    #expect(read.expiresAt == attempt.expiresAt)
    #expect(read.dpopKey.rawRepresentation == attempt.dpopKey.rawRepresentation)
    #expect(read.hasState(attempt.state.revealText()))
    #expect(!read.hasState(nil))
    #expect(!read.hasState(attempt.state.revealText() + "x"))
  }

  @Test("damage and foreign records are named by member, never by value")
  func damage() throws {
    let sealed = try world.grant().sealable().revealText()
    let cases = [
      ("", "document"), ("[]", "kind"), ("{}", "kind"),
      (sealed.replacing("atproto.grant", with: "atproto.attempt"), "kind"),
      (sealed.replacing("\"v\":1", with: "\"v\":2"), "v"),
      (sealed.replacing("\"did\":\"did:plc", with: "\"did\":\"dud:plc"), "did"),
      (sealed.replacing("\"accessToken\"", with: "\"other\""), "accessToken"),
      (
        sealed.replacing("\"issuer\":\"https://as.test", with: "\"issuer\":\"https://as.test/x"),
        "issuer"
      ),
    ]
    for (text, member) in cases {
      #expect(throws: DamagedRecord.self, "\(member)") { try Grant(unsealed: Secret(text: text)) }
      do {
        _ = try Grant(unsealed: Secret(text: text))
      } catch let error {
        #expect(error.member == member)
      }
    }
  }

  @Test("a queued revocation holds the token and the key it needs, and no more (G103)")
  func revocation() throws {
    let grant = try world.grant()
    let text = try #require(Revocation(of: grant)).sealable().revealText()
    #expect(text.contains("refresh-token-0"))
    #expect(!text.contains("access-token-0"))
    #expect(!text.contains(World.alice))
    _ = try Revocation(unsealed: Secret(text: text))
  }
}
