import Testing

@testable import Sandbox

@Suite("The URL of a proof")
struct ProofTargetTests {
  @Test(
    "two spellings of one target are the same target",
    arguments: [
      ("https://pds.example.net/xrpc/a.b.c?x=1#y", "https://pds.example.net/xrpc/a.b.c"),
      ("HTTPS://PDS.Example.net:443/oauth/par", "https://pds.example.net/oauth/par"),
      ("http://127.0.0.1:80", "http://127.0.0.1/"),
      ("https://pds.example.net/a/../oauth/./token", "https://pds.example.net/oauth/token"),
      ("https://pds.example.net/a/%2E%2e/b/.", "https://pds.example.net/b/"),
      ("http://[::1]:2583/x", "http://[::1]:2583/x"),
    ])
  func normalised(written: String, expected: String) throws {
    #expect(try ProofTarget(written).text == expected)
  }

  @Test(
    "another scheme, host, port or path is another target",
    arguments: [
      "http://pds.example.net/oauth/par", "https://pds.example.com/oauth/par",
      "https://pds.example.net:8443/oauth/par", "https://pds.example.net/oauth/PAR",
      "https://pds.example.net/oauth/par/", "https://pds.example.net/oauth%2Fpar",
    ])
  func different(written: String) throws {
    #expect(try ProofTarget(written) != ProofTarget("https://pds.example.net/oauth/par"))
  }

  @Test("what is no web address is refused with the reason")
  func refused() {
    #expect(throws: ProofTarget.Failure.notAURL) { try ProofTarget("oauth/par") }
    #expect(throws: ProofTarget.Failure.notAURL) { try ProofTarget("https:///x") }
    #expect(throws: ProofTarget.Failure.notAURL) { try ProofTarget("https://h:99999/") }
    #expect(throws: ProofTarget.Failure.otherScheme) { try ProofTarget("social.grain:/cb") }
    #expect(throws: ProofTarget.Failure.credentials) { try ProofTarget("https://a:b@h/") }
  }
}
