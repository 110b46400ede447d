import Foundation
import HTTPTransport
import OAuth
import Testing

@Suite("What is remembered of servers")
struct NonceStoreTests {
  private let store = NonceStore()

  private func learn(_ headers: HTTPHeaders, status: Int = 200, from url: String) throws -> String?
  {
    store.learn(
      from: HTTPResponse(status: status, headers: headers), url: try OAuthFixture.url(url))
  }

  @Test("the newest nonce of an origin counts, whatever the status that brought it (FB-A1, G102)")
  func newest() throws {
    for (status, nonce) in [(400, "n1"), (201, "n2"), (503, "n3")] {
      #expect(
        try learn(["DPoP-Nonce": nonce], status: status, from: "https://as.test/par") == nonce)
      #expect(store.nonce(for: try OAuthFixture.url("https://as.test/token?x")) == nonce)
    }
  }

  @Test("origins never share nonces: scheme, host and port (G31, G32, FB-A2)")
  func origins() throws {
    _ = try learn(["DPoP-Nonce": "n"], from: "https://as.test/")
    #expect(store.nonce(for: try OAuthFixture.url("https://AS.test:443/x")) == "n")
    for other in ["https://as.test:8443/", "http://as.test/", "https://pds.test/"] {
      #expect(store.nonce(for: try OAuthFixture.url(other)) == nil)
    }
  }

  @Test("a response without a usable nonce changes nothing")
  func unusable() throws {
    _ = try learn(["DPoP-Nonce": "good"], from: "https://as.test/")
    for bad in [
      "", "has space", "quote\"", "back\\slash", "ünicode", String(repeating: "x", count: 1025),
    ] {
      #expect(try learn(["DPoP-Nonce": bad], from: "https://as.test/") == nil)
    }
    #expect(try learn([:], from: "https://as.test/") == nil)
    #expect(store.nonce(for: try OAuthFixture.url("https://as.test/")) == "good")
  }

  @Test("every spelling of the header is found, and the first of two nonces is taken (FB-F7)")
  func spellings() throws {
    for name in ["dpop-nonce", "DPOP-NONCE"] {
      #expect(try learn([name: name], from: "https://as.test/") == name)
    }
    #expect(
      try learn(["DPoP-Nonce": "one", "dpop-nonce": "two"], from: "https://as.test/") == "one")
  }

  @Test("a hostile number of origins does not fill memory")
  func bounded() throws {
    for number in 0..<2000 { _ = try learn(["DPoP-Nonce": "n"], from: "https://h\(number).test/") }
    #expect(store.nonce(for: try OAuthFixture.url("https://h1999.test/")) == "n")
    #expect(store.nonce(for: try OAuthFixture.url("https://h0.test/")) == nil)
  }
}
