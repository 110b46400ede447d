import ATSyntax
import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import Sandbox
import StrictJSON
import SystemClients
import Testing

/// The network over https under names of its own, as programs meet it that were not written for it.
@Suite("The sandbox over TLS", .timeLimit(.minutes(2)))
struct SecureNetworkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var configuration: SandboxConfiguration {
    var configuration = SandboxConfiguration()
    configuration.secure = SecureSettings(authorityFile: folder.path("ca.pem"))
    return configuration
  }

  private func withNetwork(
    _ configuration: SandboxConfiguration, _ body: (SandboxNetwork) async throws -> Void
  ) async throws {
    let network = try await SandboxNetwork.start(configuration)
    do {
      try await body(network)
    } catch {
      await network.stop()
      throw error
    }
    await network.stop()
  }

  private func get(
    _ network: SandboxNetwork, _ address: String, _ policy: NetworkPolicy? = nil
  ) async throws -> Answer {
    let http = HTTPClient.live(
      policy ?? network.addresses.policy, userAgent: "test", clock: .live)
    return Answer(try await http.send(HTTPRequest(url: try #require(URL(string: address)))))
  }

  @Test("every address in it is an https name: issuer, proofs, documents, the app itself")
  func names() async throws {
    try await withNetwork(configuration) { network in
      let addresses = network.addresses
      let port = try #require(addresses.secure?.port)
      #expect(addresses.pds.absoluteString == "https://pds.test:\(port)")
      #expect(addresses.appViewDID.rawValue == "did:web:appview.test%3A\(port)")
      #expect(addresses.clientID.hasPrefix("https://appview.test:\(port)/"))
      #expect(addresses.redirectURI == "test.appview:/oauth/callback")

      let client = ProvingClient(network)
      try await client.signIn(at: addresses.pds, hint: "alice.test") { visitor, page in
        #expect(page.host() == "pds.test")
        return try await visitor.approve(
          authorizationURL: page, handle: "alice.test", password: "sandbox")
      }
      let session = try await client.call(
        "GET", "\(addresses.pds.absoluteString)/xrpc/com.atproto.server.getSession")
      #expect(session["handle"] == "alice.test")
      #expect(network.recordedProofs.allSatisfy { $0.url.hasPrefix("https://pds.test:\(port)/") })

      let server = try await get(
        network, "https://pds.test:\(port)/.well-known/oauth-authorization-server")
      let resource = try await get(
        network, "https://hosted.test:\(port)/.well-known/oauth-protected-resource")
      let document = try await get(network, "\(addresses.plc)/\(await client.did)")
      let app = try await get(network, addresses.clientID)
      #expect(server["issuer"] == "https://pds.test:\(port)")
      #expect(resource["authorization_servers"] == ["https://entryway.test:\(port)"])
      let service = document["service"]?.arrayValue?.first
      #expect(service?["serviceEndpoint"] == "https://pds.test:\(port)")
      #expect(app["client_id"] == .string(addresses.clientID))
      for answer in [server, resource, document, app] {
        #expect(!answer.text.contains("http:") && !answer.text.contains("127.0.0.1"))
      }
    }
  }

  @Test("handles are found at their own names, and the entryway's accounts sign in there")
  func handles() async throws {
    try await withNetwork(configuration) { network in
      let alice = try await get(network, "https://alice.test/.well-known/atproto-did")
      #expect(alice.text == (await network.account("alice.test"))?.did.rawValue)
      let carol = try await get(network, "https://carol.entryway.test/.well-known/atproto-did")
      #expect(carol.text == (await network.account("carol.entryway.test"))?.did.rawValue)
      let client = ProvingClient(network)
      try await client.signIn(at: network.addresses.entryway, hint: "carol.entryway.test") {
        visitor, page in
        try await visitor.approve(
          authorizationURL: page, handle: "carol.entryway.test", password: "sandbox")
      }
      let session = try await client.call(
        "GET",
        "\(network.addresses.hostedPDS.absoluteString)/xrpc/com.atproto.server.getSession")
      #expect(session["handle"] == "carol.entryway.test")
    }
  }

  @Test("nobody speaks to it without trusting its authority, and nobody else has its names")
  func trust() async throws {
    try await withNetwork(configuration) { network in
      let base = try #require(network.addresses.hosts["*.test"])
      await #expect(throws: HTTPError.self) {
        _ = try await get(network, "https://pds.test/", NetworkPolicy(hosts: ["*.test": base]))
      }
      #expect(network.requests.isEmpty)
      // The address has a certificate, but says nothing of whom it is asked.
      var policy = network.addresses.policy
      policy.allowInsecureLoopback = true
      let misdirected = try await get(network, base.absoluteString, policy)
      #expect(misdirected.status == 421)
    }
  }

  @Test("a restart on the same file meets the same addresses and the same authority")
  func restart() async throws {
    var configuration = configuration
    configuration.databasePath = folder.path("sandbox.sqlite")
    var seen: [Data] = []
    var addresses: [URL] = []
    for _ in 0..<2 {
      try await withNetwork(configuration) { network in
        seen.append(try Data(contentsOf: URL(filePath: folder.path("ca.pem"))))
        addresses.append(network.addresses.pds)
      }
    }
    #expect(seen[0] == seen[1])
    #expect(addresses[0] == addresses[1])
  }

  @Test("the ready configuration trusts the authority and maps the names, and allows nothing else")
  func ready() async throws {
    var configuration = configuration
    configuration.secure?.domain = "example.com"
    try await withNetwork(configuration) { network in
      let ready = network.addresses.configuration
      let port = try #require(network.addresses.secure?.port)
      #expect(ready["trustAnchors"] == .string(folder.path("ca.pem")))
      #expect(ready["hosts"] == ["*.example.com": "https://127.0.0.1:\(port)"])
      #expect(ready["allowInsecureLoopback"] == false)
      #expect(await network.account("alice.example.com") != nil)
      #expect(
        network.addresses.secure?.names == [
          "plc.example.com", "appview.example.com", "pds.example.com", "entryway.example.com",
          "hosted.example.com", "signup.example.com", "platrium.example.com", "pixiv.example.com",
          "alice.example.com",
          "bob.example.com",
          "carol.entryway.example.com",
        ])
    }
    configuration.secure?.domain = "test"
    try await withNetwork(configuration) { network in
      let ready = network.addresses.configuration
      let port = try #require(network.addresses.secure?.port)
      #expect(ready["hosts"] == ["*.test": "https://127.0.0.1:\(port)"])
      #expect(ready["allowInsecureLoopback"] == false)
    }
  }

  @Test("a file that is not its own is never written over")
  func foreignFile() async throws {
    let path = folder.path("ca.pem")
    try PrivateFiles.write(Array("precious".utf8), to: path)
    await #expect(throws: SandboxStartError.foreignFile(path)) {
      try await SandboxNetwork.start(configuration)
    }
    #expect(try PrivateFiles.read(path, limit: 100) == Array("precious".utf8))
  }

  @Test("a domain no handle could stand under is refused", arguments: ["", ".", "a b", "test."])
  func domain(name: String) async throws {
    var configuration = configuration
    configuration.secure?.domain = name
    await #expect(throws: SandboxStartError.invalidDomain(name)) {
      try await SandboxNetwork.start(configuration)
    }
  }

  @Test("only addresses of the loopback interface are listened on")
  func address() async throws {
    var configuration = configuration
    configuration.secure?.address = "192.0.2.1"
    await #expect(throws: HTTPServerError.notLoopback("192.0.2.1")) {
      try await SandboxNetwork.start(configuration)
    }
  }
}
