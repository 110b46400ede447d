import ATIdentity
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("Finding the home of a DID")
struct DIDResolutionTests {
  private let did: DID

  init() throws {
    did = try DID(IdentityFixture.alice)
  }

  @Test("a typed DID skips the handle's look-up; its handle is then verified back (G8, G73)")
  func typedDID() async throws {
    let network = ScriptedHTTP(
      IdentityFixture.document(), IdentityFixture.text(IdentityFixture.alice))
    let identity = try await IdentityFixture.resolver(network).resolve(.did(did))
    #expect(identity.handle?.rawValue == "alice.test")
    #expect(
      network.urls == [
        "https://plc.directory/did:plc:aaaabbbbccccddddeeeeffff",
        "https://alice.test/.well-known/atproto-did",
      ])
  }

  @Test("a handle that leads elsewhere, or nowhere, is left out (G12)")
  func unverifiedHandle() async throws {
    let elsewhere = ScriptedHTTP(
      IdentityFixture.document(), IdentityFixture.text(IdentityFixture.bob))
    #expect(try await IdentityFixture.resolver(elsewhere).resolve(.did(did)).handle == nil)
    let nowhere = ScriptedHTTP(
      IdentityFixture.document(), .failure(.timeout), .failure(.offline))
    #expect(try await IdentityFixture.resolver(nowhere).resolve(.did(did)).handle == nil)
    let reserved = ScriptedHTTP(IdentityFixture.document(aliases: ["at://handle.invalid"]))
    #expect(try await IdentityFixture.resolver(reserved).resolve(.did(did)).handle == nil)
    #expect(reserved.requests.count == 1)
  }

  @Test(
    "a handle that was refuted is told apart from one that nobody could look up (FB-A29)",
    arguments: [
      ([IdentityFixture.text(IdentityFixture.bob)], HandleConfirmation.refuted),
      (
        [
          .status(404),
          .json(#"{"error":"HandleNotFound","message":"Unable to resolve handle"}"#, status: 400),
        ], .refuted
      ),
      ([.failure(.timeout), .failure(.offline)], .unknown),
      ([.status(500), .status(500)], .unknown),
      ([.failure(.tls("expired")), .status(502)], .unknown),
    ] as [([ScriptedHTTP.Answer], HandleConfirmation)])
  func confirmation(answers: [ScriptedHTTP.Answer], expected: HandleConfirmation) async throws {
    let network = ScriptedHTTP([IdentityFixture.document()] + answers)
    let identity = try await IdentityFixture.resolver(network).resolve(.did(did))
    #expect(identity.confirmation == expected)
    let known = try Handle("known.test")
    #expect(
      identity.confirmation.handle(knowing: known) == (expected == .unknown ? known : nil))
  }

  @Test("a document without a handle, or with a reserved one, refutes what was known")
  func noHandle() async throws {
    for aliases in [[], ["https://x.test"], ["at://handle.invalid"]] {
      let network = ScriptedHTTP(IdentityFixture.document(aliases: aliases))
      let identity = try await IdentityFixture.resolver(network).resolve(.did(did))
      #expect(identity.confirmation == .refuted)
    }
  }

  @Test("a did:web document comes from the host it names (G10, G74)")
  func webDocument() async throws {
    let network = ScriptedHTTP(IdentityFixture.document("did:web:alice.test", aliases: []))
    let identity = try await IdentityFixture.resolver(network)
      .resolve(.did(DID("did:web:alice.test")))
    #expect(identity.pds.absoluteString == "https://pds.test")
    #expect(network.urls == ["https://alice.test/.well-known/did.json"])
  }

  @Test("a did:web with a port is for loopback development (FB-A19)")
  func webPort() async throws {
    for host in ["localhost", "127.0.0.1"] {
      let did = "did:web:\(host)%3A2583"
      let network = ScriptedHTTP(IdentityFixture.document(did, aliases: []))
      _ = try await IdentityFixture.resolver(network, development: true).document(for: DID(did))
      #expect(network.urls == ["http://\(host):2583/.well-known/did.json"])
      await #expect(throws: IdentityError.unsupportedMethod(did)) {
        try await IdentityFixture.resolver(ScriptedHTTP([])).document(for: DID(did))
      }
    }
  }

  @Test(
    "other methods, paths, foreign ports and odd hosts are refused without a request",
    arguments: [
      "did:web:example.com:user:alice", "did:web:exam%3Aple.com%3A80", "did:web:alice.test%3A8443",
      "did:key:zQ3shXjHeiBuRCKmM36cuYnm7YEMzhGnCmCyW92sRJ9pribSF", "did:plc:short",
      "did:plc:AAAABBBBCCCCDDDDEEEEFFFF", "did:web:10.0.0.1", "did:web:box.local",
      "did:web:localhost%3a2583",
    ])
  func unsupported(text: String) async throws {
    let network = ScriptedHTTP([])
    await #expect(throws: IdentityError.unsupportedMethod(text)) {
      try await IdentityFixture.resolver(network, development: true).document(for: DID(text))
    }
    #expect(network.requests.isEmpty)
  }

  @Test(
    "a DID that is not registered or was given up is gone; anything else may pass",
    arguments: [
      (404, true), (410, true), (500, false), (429, false), (302, false), (401, false),
    ])
  func missingDocument(status: Int, isGone: Bool) async throws {
    let expected: IdentityError =
      isGone ? .didNotFound(did) : .unreachable(host: "plc.directory", nil)
    let network = ScriptedHTTP(
      .json(#"{"message":"DID not available"}"#, status: status, headers: ["Location": "/x"]))
    await #expect(throws: expected) {
      try await IdentityFixture.resolver(network).document(for: did)
    }
    #expect(network.requests.count == 1)
  }

  @Test("a document must be JSON by name and by content, and the DID's own")
  func badDocuments() async throws {
    let other = ScriptedHTTP(IdentityFixture.document(IdentityFixture.bob))
    await #expect(throws: IdentityError.invalidDocument("id")) {
      try await IdentityFixture.resolver(other).document(for: did)
    }
    let page = ScriptedHTTP(IdentityFixture.text("{}"))
    await #expect(throws: IdentityError.invalidDocument("content type")) {
      try await IdentityFixture.resolver(page).document(for: did)
    }
    let broken = ScriptedHTTP(.json("{"))
    await #expect(throws: IdentityError.invalidDocument("document")) {
      try await IdentityFixture.resolver(broken).document(for: did)
    }
  }

  @Test("an account without a home server is told apart from one that does not exist (FB-A18)")
  func noHome() async throws {
    let network = ScriptedHTTP(.json(#"{"id":"\#(IdentityFixture.alice)","service":[]}"#))
    await #expect(throws: IdentityError.noPDS(did)) {
      try await IdentityFixture.resolver(network).resolve(.did(did))
    }
  }
}
