import Foundation
import GrainTestSupport
import HTTPTransport
import JOSE
import OpenSSLCrypto
import Sandbox
import StrictJSON
import SystemClients
import Testing

@Suite("A network started again on its file")
struct RestartedNetworkTests {
  /// Starts a network, pushes one request to its authorization server over HTTP, and stops it.
  private func pushOnce(_ configuration: SandboxConfiguration) async throws -> String {
    let network = try await SandboxNetwork.start(configuration)
    let policy = NetworkPolicy(allowInsecureLoopback: true, hosts: [:])
    let http = HTTPClient.live(policy, userAgent: "test", clock: .live)
    var request = HTTPRequest(
      method: "POST", url: network.addresses.pds.appending(path: "oauth/par"))
    request.headers["Content-Type"] = FormURLEncoding.mediaType
    let client = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&scope=atproto"
    request.body = .bytes(
      FormURLEncoding.encode([
        ("client_id", client), ("response_type", "code"), ("scope", "atproto"),
        ("code_challenge", Base64URL.encode(Digest.sha256([]))), ("code_challenge_method", "S256"),
      ]))
    let response = try await http.send(request)
    await network.stop()
    try #require(response.status == 201, "\(String(decoding: response.body, as: UTF8.self))")
    return try #require(try JSONParser.parse(response.body)["request_uri"]?.stringValue)
  }

  @Test("the same seed does not hand out the same secrets again")
  func freshSecrets() async throws {
    let folder = try TemporaryFolder()
    var configuration = SandboxConfiguration()
    configuration.databasePath = folder.path + "/sandbox.sqlite"
    var uris: Set<String> = []
    // The first start makes the accounts and so draws more; the second and third are alike.
    for _ in 0..<3 { uris.insert(try await pushOnce(configuration)) }
    #expect(uris.count == 3)
  }
}
