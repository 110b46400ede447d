import ATSyntax
import Foundation
import GrainLexicon
import HTTPTransport
import JOSE
import Sandbox
import StrictJSON
import Testing

/// Everything at once over real HTTP: authorization, repository, proxy, index.
@Suite struct WholeNetworkTests {
  private func withNetwork(_ body: (SandboxNetwork) async throws -> Void) async throws {
    let network = try await SandboxNetwork.start()
    do {
      try await body(network)
    } catch {
      await network.stop()
      throw error
    }
    await network.stop()
  }

  private func signIn(
    _ network: SandboxNetwork, _ handle: String, at issuer: URL
  ) async throws -> ProvingClient {
    let client = ProvingClient(network)
    try await client.signIn(at: issuer, hint: handle) { visitor, page in
      try await visitor.approve(authorizationURL: page, handle: handle, password: "sandbox")
    }
    return client
  }

  @Test("a person signs in, writes, indexes and reads it back through the proxy (G95)")
  func wholeStory() async throws {
    try await withNetwork { network in
      let addresses = network.addresses
      let client = try await signIn(network, "alice.test", at: addresses.pds)
      let did = await client.did
      #expect(await network.account("alice.test")?.did.rawValue == did)
      #expect(await client.grantedScope == addresses.scope)

      let xrpc = "\(addresses.pds.absoluteString)/xrpc"
      let gallery: JSONValue = [
        "$type": "social.grain.gallery", "title": "Harbour",
        "createdAt": "2024-05-01T12:00:00.000Z",
      ]
      let created = try await client.call(
        "POST", "\(xrpc)/com.atproto.repo.createRecord",
        ["repo": .string(did), "collection": "social.grain.gallery", "record": gallery])
      #expect(created.status == 200)
      let proxy = addresses.appViewService.proxyHeader
      let uri = try #require(created["uri"])
      let indexed = try await client.call(
        "POST", "\(xrpc)/\(MethodNames.indexRecords)", ["uris": [uri]], proxy: proxy)
      #expect(indexed.json == [:])
      let feed = try await client.call(
        "GET", "\(xrpc)/\(MethodNames.getFeed)?feed=recent", proxy: proxy)
      #expect(feed["items"]?.arrayValue?.map { $0["title"] } == ["Harbour"])
    }
  }

  @Test("an account behind an entryway signs in there and writes at its own server (wire §16.1)")
  func entryway() async throws {
    try await withNetwork { network in
      let addresses = network.addresses
      let client = try await signIn(network, "carol.entryway.test", at: addresses.entryway)
      let hosted = "\(addresses.hostedPDS.absoluteString)/xrpc"
      let session = try await client.call("GET", "\(hosted)/com.atproto.server.getSession")
      #expect(session["handle"] == "carol.entryway.test")
      let put = try await client.call(
        "POST", "\(hosted)/com.atproto.repo.putRecord",
        [
          "repo": .string(await client.did), "collection": "social.grain.actor.profile",
          "rkey": "self", "record": ["displayName": "Carol"],
        ])
      #expect(put.status == 200)
      // The token is for her server and no other.
      let elsewhere = try await client.call(
        "GET", "\(addresses.pds.absoluteString)/xrpc/com.atproto.server.getSession")
      #expect(elsewhere.status == 401)
    }
  }

  @Test("a new account is made in the browser and is signed in at once (G25)")
  func signUp() async throws {
    try await withNetwork { network in
      let addresses = network.addresses
      let client = ProvingClient(network)
      try await client.signIn(at: addresses.signUpPDS, hint: nil) { visitor, page in
        try await visitor.signUp(
          authorizationURL: page, handle: "eve.signup.test", email: "eve@example.com",
          password: "long enough")
      }
      let session = try await client.call(
        "GET", "\(addresses.signUpPDS.absoluteString)/xrpc/com.atproto.server.getSession")
      #expect(session["handle"] == "eve.signup.test")
      #expect(session["did"] == .string(await client.did))
    }
  }

  @Test("a refresh gives new tokens; a takedown ends them all (wire §13)")
  func refreshAndTakedown() async throws {
    try await withNetwork { network in
      let pds = network.addresses.pds
      let client = try await signIn(network, "bob.test", at: pds)
      let first = await client.token
      try await client.refresh(at: pds)
      #expect(await client.token != first)
      let session = "\(pds.absoluteString)/xrpc/com.atproto.server.getSession"
      #expect(try await client.call("GET", session).status == 200)
      try await network.setStatus(.takendown, of: try DID(await client.did))
      let refused = try await client.call("GET", session)
      #expect(refused.status == 401)
      #expect(refused["error"] == "invalid_token")
    }
  }

  @Test("every recorded proof is what an outside library would accept, and no token is kept")
  func recordedProofs() async throws {
    try await withNetwork { network in
      let client = try await signIn(network, "alice.test", at: network.addresses.pds)
      _ = try await client.call(
        "GET", "\(network.addresses.pds.absoluteString)/xrpc/com.atproto.server.getSession?a=b")
      #expect(network.recordedProofs.count >= 4)
      for recorded in network.recordedProofs {
        let proof = try CompactJWS(parsing: recorded.proof)
        let key = try JWK(json: try #require(proof.header["jwk"]))
        #expect(proof.isSigned(by: key.publicKey))
        let claims = try proof.claims()
        #expect(claims["htm"]?.stringValue == recorded.method)
        #expect(claims["htu"]?.stringValue == recorded.url)
        #expect(claims["ath"]?.stringValue == recorded.accessTokenHash)
      }
      let token = await client.token
      #expect(!"\(network.requests)\(network.recordedProofs)".contains(token))
    }
  }
}
