import ATIdentity
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport

/// Alice, her documents, and a resolver over a scripted network.
enum IdentityFixture {
  static let alice = "did:plc:aaaabbbbccccddddeeeeffff"
  static let bob = "did:plc:bbbbccccddddeeeeffff2222"

  static func configuration(development: Bool = false) throws -> IdentityConfiguration {
    IdentityConfiguration(
      plcDirectory: try url("https://plc.directory"),
      handleResolver: try url("https://public.api.bsky.app"), allowTestHandles: true,
      allowInsecureLoopback: development)
  }

  static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }

  static func document(
    _ did: String = alice, aliases: [String] = ["at://alice.test"],
    pds: String = "https://pds.test"
  ) -> ScriptedHTTP.Answer {
    let aliases = aliases.map { "\"\($0)\"" }.joined(separator: ",")
    return .json(
      """
      {"id":"\(did)","alsoKnownAs":[\(aliases)],"service":[{"id":"#atproto_pds",
      "type":"AtprotoPersonalDataServer","serviceEndpoint":"\(pds)"}]}
      """, headers: ["Content-Type": "application/did+ld+json; charset=utf-8"])
  }

  static func text(_ body: String, status: Int = 200) -> ScriptedHTTP.Answer {
    .response(
      HTTPResponse(
        status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
        body: Array(body.utf8)))
  }

  static func resolver(
    _ network: ScriptedHTTP, clock: TestClock = TestClock(), development: Bool = false
  ) throws -> IdentityResolver {
    IdentityResolver(
      configuration: try configuration(development: development), http: network.client,
      clock: clock.clock)
  }
}

extension ScriptedHTTP {
  /// The URLs asked for, in order.
  var urls: [String] { requests.map(\.url.absoluteString) }
}
