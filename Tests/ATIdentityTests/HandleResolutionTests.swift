import ATIdentity
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("Finding the account of a handle")
struct HandleResolutionTests {
  private let handle: Handle
  private let did: DID

  init() throws {
    handle = try Handle("alice.test")
    did = try DID(IdentityFixture.alice)
  }

  @Test("a handle's own host is asked first, and then nobody else (G6, G72)")
  func ownHostFirst() async throws {
    let network = ScriptedHTTP(
      IdentityFixture.text(IdentityFixture.alice), IdentityFixture.document())
    let identity = try await IdentityFixture.resolver(network).resolve(.handle(handle))
    #expect(identity.did == did)
    #expect(identity.handle == handle)
    #expect(identity.pds.absoluteString == "https://pds.test")
    #expect(
      network.urls == [
        "https://alice.test/.well-known/atproto-did",
        "https://plc.directory/did:plc:aaaabbbbccccddddeeeeffff",
      ])
  }

  @Test("the resolver service is asked only when the host names no DID (G7, G72, FB-A20)")
  func fallback() async throws {
    let network = ScriptedHTTP(
      .status(404), .json(#"{"did":"\#(IdentityFixture.alice)"}"#), IdentityFixture.document())
    _ = try await IdentityFixture.resolver(network).resolve(.handle(handle))
    #expect(
      network.urls[1]
        == "https://public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle?handle=alice.test")
  }

  @Test(
    "whatever keeps a host from naming a DID, the resolver service is asked",
    arguments: [
      ScriptedHTTP.Answer.failure(.timeout), .failure(.bodyTooLarge), .status(500),
      IdentityFixture.text("<html>"), IdentityFixture.text("did:key:zabc"),
      IdentityFixture.text(""),
    ])
  func unusableHost(answer: ScriptedHTTP.Answer) async throws {
    let network = ScriptedHTTP(answer, .json(#"{"did":"\#(IdentityFixture.alice)"}"#))
    #expect(try await IdentityFixture.resolver(network).did(for: handle) == did)
  }

  @Test("the first line of the host's answer counts, trimmed, with any 2xx status")
  func firstLine() async throws {
    let network = ScriptedHTTP(
      IdentityFixture.text(" \(IdentityFixture.alice)\r\nand more", status: 203))
    #expect(try await IdentityFixture.resolver(network).did(for: handle) == did)
    #expect(network.requests[0].maximumBodyBytes == 2048)
    #expect(network.requests[0].deadline == .seconds(5))
  }

  @Test("three redirects are followed by hand, https only")
  func redirects() async throws {
    func hop(_ location: String) -> ScriptedHTTP.Answer {
      .status(302, headers: ["Location": location])
    }
    let network = ScriptedHTTP(
      hop("https://www.alice.test/did"), hop("/there"), hop("https://c.test/x"),
      IdentityFixture.text(IdentityFixture.alice))
    #expect(try await IdentityFixture.resolver(network).did(for: handle) == did)
    #expect(network.urls[2] == "https://www.alice.test/there")

    for hops in [
      ["http://c.test/x"], ["social.grain:/x"], ["https://u:p@c.test/"], ["https://c.test:8443/x"],
    ] {
      let network = ScriptedHTTP(
        hops.map(hop) + [.json(#"{"did":"\#(IdentityFixture.alice)"}"#)])
      _ = try await IdentityFixture.resolver(network).did(for: handle)
      #expect(network.requests.count == 2)
    }
    let loop = ScriptedHTTP(
      Array(repeating: hop("https://alice.test/again"), count: 4)
        + [.json(#"{"did":"\#(IdentityFixture.alice)"}"#)])
    _ = try await IdentityFixture.resolver(loop).did(for: handle)
    #expect(loop.requests.count == 5)
  }

  @Test("a redirect into a private network ends there, and the resolver service is asked (check 8)")
  func privateRedirect() async throws {
    let network = ScriptedHTTP(
      .status(302, headers: ["Location": "https://intranet.test/did"]),
      .failure(.addressRefused("intranet.test")),
      .json(#"{"did":"\#(IdentityFixture.alice)"}"#))
    #expect(try await IdentityFixture.resolver(network).did(for: handle) == did)
    #expect(network.requests.count == 3)
  }

  @Test(
    "nobody knows the handle, and nobody could be asked, are different errors (FB-A20)",
    arguments: [
      (
        #"{"error":"InvalidRequest","message":"Unable to resolve handle"}"#, 400, true
      ),
      (#"{"error":"HandleNotFound","message":"Unable to resolve handle"}"#, 400, true),
      (#"{"error":"InvalidRequest","message":"Something else"}"#, 400, false),
      (#"{"error":"InternalServerError"}"#, 500, false),
      ("<html>", 502, false), (#"{"did":"nonsense"}"#, 200, false),
    ])
  func notFound(body: String, status: Int, isNotFound: Bool) async throws {
    let network = ScriptedHTTP(.status(404), .json(body, status: status))
    let expected: IdentityError =
      isNotFound
      ? .handleNotFound(handle) : .unreachable(host: "public.api.bsky.app", nil)
    await #expect(throws: expected) {
      try await IdentityFixture.resolver(network).did(for: handle)
    }
  }

  @Test("a resolver that cannot be reached is named")
  func resolverUnreachable() async throws {
    let network = ScriptedHTTP(.status(404), .failure(.offline))
    await #expect(throws: IdentityError.unreachable(host: "public.api.bsky.app", .offline)) {
      try await IdentityFixture.resolver(network).did(for: handle)
    }
  }

  @Test("a typed handle the document does not confirm fails (G12, FB-A21)")
  func unconfirmed() async throws {
    let network = ScriptedHTTP(
      IdentityFixture.text(IdentityFixture.alice),
      IdentityFixture.document(aliases: ["at://other.test", "at://alice.test"]))
    await #expect(throws: IdentityError.handleUnconfirmed(handle, did)) {
      try await IdentityFixture.resolver(network).resolve(.handle(handle))
    }
  }

  @Test(
    "names that must never be looked up are refused without a request",
    arguments: ["handle.invalid", "alice.example", "box.local", "x.localhost", "y.onion", "z.arpa"])
  func reserved(name: String) async throws {
    let network = ScriptedHTTP([])
    await #expect(throws: IdentityError.invalidInput(name)) {
      try await IdentityFixture.resolver(network).resolve(try ATIdentifier(name))
    }
    #expect(network.requests.isEmpty)
  }

  @Test("handles under .test exist in development only")
  func testHandles() async throws {
    var configuration = try IdentityFixture.configuration()
    configuration.allowTestHandles = false
    let resolver = IdentityResolver(
      configuration: configuration, http: ScriptedHTTP([]).client, clock: TestClock().clock)
    await #expect(throws: IdentityError.invalidInput("alice.test")) {
      try await resolver.did(for: handle)
    }
  }
}
