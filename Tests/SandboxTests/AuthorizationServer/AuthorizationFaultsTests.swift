import Foundation
import GrainTestSupport
import HTTPServing
import StrictJSON
import Testing

@testable import Sandbox

@Suite("What the server does wrong on request")
struct AuthorizationFaultsTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  private func callback() async throws -> URL {
    try await rig.visitor().approve(
      authorizationURL: rig.push(), handle: "alice.test", password: "sandbox")
  }

  @Test("another issuer, or none, comes back from the browser (FB-A14)")
  func issuer() async throws {
    rig.server.faults.set { $0.redirectIssuer = "https://other.dev" }
    #expect(try await callback().field("iss") == "https://other.dev")
    rig.server.faults.set { $0.redirectIssuer = "" }
    let callback = try await callback()
    #expect(callback.field("iss") == nil)
    #expect(callback.field("code") != nil)
  }

  @Test("another subject, or a missing member, comes from the token endpoint (FB-A15, G113)")
  func tokenMembers() async throws {
    rig.server.faults.set {
      $0.tokenMembers = ["sub": "did:plc:bbbbccccddddeeeeffffgggg", "token_type": "Bearer"]
      $0.missingTokenMembers = ["refresh_token", "scope"]
    }
    let json = try await rig.signedPost(
      "/oauth/token", AuthorizationRig.codeFields(rig.code())
    ).json
    #expect(json["sub"] == "did:plc:bbbbccccddddeeeeffffgggg")
    #expect(json["token_type"] == "Bearer")
    #expect(json["refresh_token"] == nil)
    #expect(json["scope"] == nil)
    #expect(json["expires_in"] == 3600)
  }

  @Test("items are unticked whatever the page sends; without atproto nothing is granted (G110)")
  func withheld() async throws {
    rig.server.faults.set { $0.withheldScopes = ["blob:image/*"] }
    #expect(try await !rig.tokens().scope.contains("blob"))
    rig.server.faults.set { $0.withheldScopes = ["atproto"] }
    #expect(try await callback().field("error") == "access_denied")
  }

  @Test("grants are as short as asked for, and normal again when faults are cleared")
  func lifetimes() async throws {
    rig.server.faults.set {
      var lifetimes = GrantLifetimes()
      lifetimes.accessToken = .seconds(5)
      $0.lifetimes = lifetimes
    }
    let tokens = try await rig.tokens()
    #expect(tokens.expiresIn == 5)
    rig.server.faults.clear()
    #expect(try Tokens(await rig.refresh(tokens.refresh)).expiresIn == 3600)
  }

  @Test("refreshes are refused as often as asked for, and the session lives (G55)")
  func refreshRefusals() async throws {
    let tokens = try await rig.tokens()
    rig.server.faults.set {
      $0.refreshRefusals = [
        .init(error: "invalid_client_metadata"), .init(status: 503, error: "server_error"),
      ]
    }
    #expect(
      try await rig.refresh(tokens.refresh).outcome
        == "400 invalid_client_metadata: Refused by request")
    #expect(try await rig.refresh(tokens.refresh).status == 503)
    #expect(try await rig.refresh(tokens.refresh).status == 200)
  }

  @Test("with a new nonce on every answer, a client that keeps up is never refused (FB-A1)")
  func rotation() async throws {
    rig.server.faults.set { $0.nonceRotation = .everyAnswer }
    let tokens = try await rig.tokens()
    let first = try await rig.currentNonce()
    let refreshed = try Tokens(await rig.refresh(tokens.refresh))
    let second = try await rig.currentNonce()
    #expect(first != second)
    guard case .granted(let grant) = try await rig.access(refreshed.access) else {
      Issue.record("refused")
      return
    }
    #expect(grant.dpopNonce != second)
    #expect(
      try await rig.access(refreshed.access, nonce: second).outcome
        == "401 use_dpop_nonce: DPoP \"nonce\" mismatch")
  }
}
