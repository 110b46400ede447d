import GrainLexicon
import GrainServices
import Sandbox
import StrictJSON
import Testing

@Suite("The configuration")
struct CoreConfigurationTests {
  private func message(_ text: String) -> String? {
    do throws(ConfigurationError) {
      _ = try CoreConfiguration.reading(Array(text.utf8))
      return nil
    } catch {
      return error.message
    }
  }

  @Test("an empty file is production (grain-product §1)")
  func production() throws {
    let configuration = try CoreConfiguration.reading(Array("{}".utf8))
    #expect(configuration == CoreConfiguration())
    #expect(configuration.clientID == "https://grain.social/oauth/app-client-metadata.json")
    #expect(configuration.redirectURI == "social.grain:/oauth/callback")
    #expect(configuration.appView?.proxyHeader == "did:web:grain.social#grain_appview")
    #expect(configuration.signUpHost == "selfhosted.social")
    #expect(!configuration.allowInsecureLoopback && configuration.hosts.isEmpty)
  }

  @Test("resolver, directory, app server and sign-up server can each be another one (G98)")
  func otherServers() throws {
    let members = ["handleResolver", "plcDirectory", "appServer", "signUpPDS"]
    for (index, member) in members.enumerated() {
      let address = "https://other\(index).example.com"
      let configuration = try CoreConfiguration.reading(.object([member: .string(address)]))
      let named = [
        configuration.handleResolver, configuration.plcDirectory, configuration.appServer,
        configuration.signUpPDS,
      ]
      #expect(named.count { $0 == address } == 1)
      #expect(named[index] == address)
    }
  }

  @Test("the requested scope is exactly Grain's list, in order (G24, G77)")
  func scope() {
    #expect(
      CoreConfiguration().appView?.scope
        == """
        atproto blob:image/* repo:social.grain.gallery repo:social.grain.gallery.item \
        repo:social.grain.photo repo:social.grain.photo.exif repo:social.grain.actor.profile \
        repo:social.grain.graph.follow repo:social.grain.graph.block repo:social.grain.favorite \
        repo:social.grain.comment repo:social.grain.story \
        repo:app.bsky.feed.post?action=create rpc:*?aud=did:web:grain.social%23grain_appview
        """)
  }

  @Test("a ported did:web is escaped once more in the scope, and not in the header (G77, G96)")
  func portedAppView() throws {
    let configuration = try CoreConfiguration.reading(
      ["appViewDID": "did:web:127.0.0.1%3A3000"])
    #expect(
      configuration.appView?.scopeItems.last
        == "rpc:*?aud=did:web:127.0.0.1%253A3000%23grain_appview")
    #expect(configuration.appView?.proxyHeader == "did:web:127.0.0.1%3A3000#grain_appview")
  }

  @Test("a file names what differs, at any depth; the rest stays as it was")
  func partial() throws {
    let configuration = try CoreConfiguration.reading([
      "limits": ["photos": 1000], "times": ["refreshLeadMs": 5], "loopbackClient": true,
      "allowInsecureLoopback": true,
      "hosts": ["alice.test": "http://127.0.0.1:2583", "*.test": "https://proxy.example.com"],
    ])
    var expected = CoreConfiguration()
    expected.limits.photos = 1000
    expected.times.refreshLeadMs = 5
    expected.loopbackClient = true
    expected.allowInsecureLoopback = true
    expected.hosts = [
      "alice.test": "http://127.0.0.1:2583", "*.test": "https://proxy.example.com",
    ]
    #expect(configuration == expected)
  }

  @Test("what a sandbox says of itself can be read")
  func sandbox() async throws {
    let network = try await SandboxNetwork.start()
    let configuration = try CoreConfiguration.reading(.object(network.addresses.configuration))
    #expect(configuration.allowInsecureLoopback)
    #expect(configuration.appView == network.addresses.appViewService)
    await network.stop()
  }

  @Test(
    "handles below .test are looked up only where development leads them somewhere (wire §1.1)",
    arguments: [
      (#"{}"#, false), (#"{"hosts":{"*.example.com":"https://127.0.0.1:2443"}}"#, false),
      (#"{"hosts":{"latest":"https://127.0.0.1:2443"}}"#, false),
      (#"{"hosts":{"*.test":"https://127.0.0.1:2443"}}"#, true),
      (#"{"hosts":{"Alice.Test":"https://127.0.0.1:2443"}}"#, true),
      (#"{"allowInsecureLoopback":true}"#, true),
    ])
  func testNames(text: String, expected: Bool) throws {
    let configuration = try CoreConfiguration.reading(JSONParser.parse(Array(text.utf8)))
    #expect(configuration.looksUpTestNames == expected)
  }

  @Test("what is no JSON object is refused")
  func notAnObject() {
    #expect(message("[]") == "the configuration is no JSON object")
    #expect(message("{")?.hasPrefix("the configuration is not JSON") == true)
    #expect(message(#"{"hosts":{},"hosts":{}}"#)?.contains("duplicate") == true)
  }

  @Test(
    "an unknown member and a wrong kind are refused with their place",
    arguments: [
      (#"{"plcDirectroy":"https://x.example"}"#, "/plcDirectroy: there is no such member"),
      (#"{"limits":{"photo":1}}"#, "/limits/photo: there is no such member"),
      (#"{"limits":{"photos":"20"}}"#, "/limits/photos: expected integer"),
      (#"{"limits":{"photos":1.5}}"#, "/limits/photos: expected integer"),
      (#"{"loopbackClient":1}"#, "/loopbackClient: expected boolean"),
      (#"{"limits":7}"#, "/limits: expected object"),
      (#"{"limits":null}"#, "/limits: expected a member"),
      (#"{"hosts":{"alice.test":1}}"#, "/hosts/alice.test: expected string"),
    ])
  func refused(text: String, expected: String) {
    #expect(message(text) == expected)
  }

  @Test(
    "a value that cannot work is refused with its place",
    arguments: [
      (#"{"plcDirectory":"plc.directory"}"#, "/plcDirectory: expected an https address"),
      (#"{"appServer":"http://127.0.0.1:1"}"#, "/appServer: expected an https address"),
      (#"{"clientID":""}"#, "/clientID: expected an https address"),
      (#"{"hosts":{"a.test":"nowhere"}}"#, "/hosts/a.test: expected an address"),
      (#"{"redirectURI":"callback"}"#, "/redirectURI: expected a redirect URI"),
      (#"{"appViewDID":"grain.social"}"#, "/appViewDID: expected a DID"),
      (#"{"limits":{"indexBatch":0}}"#, "/limits/indexBatch: expected a number of at least 1"),
      (#"{"times":{"uploadMs":-5}}"#, "/times/uploadMs: expected a number of at least 1"),
    ])
  func useless(text: String, expected: String) {
    #expect(message(text) == expected)
  }
}
