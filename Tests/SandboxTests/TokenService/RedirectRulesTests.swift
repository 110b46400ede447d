import Testing

@testable import Sandbox

@Suite("Platrium: where the answer may go")
struct PlatriumRedirectTests {
  private let rules = NativeRedirects(
    appSchemes: ["platrium"],
    httpsEntries: [
      "https://good.example", "https://app.example:8443/native/", "http://plain.example/",
      "nonsense",
    ])

  @Test(
    "an app's own scheme, loopback at any port and configured pages are allowed (P19, P20, P21)",
    arguments: [
      "platrium://callback", "platrium://auth/callback", "PLATRIUM://auth/callback",
      "http://127.0.0.1:49152/callback", "http://[::1]:1/callback", "http://localhost/callback",
      "http://localhost:65535/callback?kept=1", "https://good.example", "https://good.example/",
      "https://GOOD.example:443/any/path", "https://app.example:8443/native",
      "https://app.example:8443/native/deep?x=1",
    ])
  func allowed(uri: String) {
    #expect(rules.allows(uri))
  }

  @Test(
    "everything else is refused, look-alikes first of all (P21, P22)",
    arguments: [
      "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "http://example.com",
      "http://127.0.0.1.evil.tld/callback", "http://0.0.0.0:1/callback", "http://127.0.0.2:1/",
      "http://[::2]:1/", "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback",
      "http://user@127.0.0.1:1/", "http://127.0.0.1:1/#x", "http://localhost.evil.tld/",
      "http://evil.tld@localhost/", "http:127.0.0.1", "https://good.example.evil.tld/",
      "https://good.example@evil.tld/", "https://evil.tld/https://good.example/",
      "https://good.example:444/", "http://good.example/", "https://app.example:8443/nativex",
      "https://app.example:8443/native/../evil", "https://app.example:8443/native/%2e%2E/evil",
      "https://app.example:8443/native/..%2fevil", "https://app.example/native",
      "https://app.example:8443\\native", "https://plain.example/", "social.grain:/oauth/callback",
      "platrium://auth:80/callback", "platrium://a@auth/callback",
      "platrium://auth/callback#x", "platrium://auth/call back", "platriumx://callback", "", "//x",
    ])
  func refused(uri: String) {
    #expect(!rules.allows(uri))
  }

  @Test("what is added to an address leaves its own query alone")
  func adding() {
    #expect(
      NativeRedirects.adding([("code", "a b"), ("state", "&")], to: "http://localhost/c?x=1")
        == "http://localhost/c?x=1&code=a%20b&state=%26")
    #expect(
      NativeRedirects.adding([("code", "c")], to: "platrium://callback")
        == "platrium://callback?code=c")
  }
}
