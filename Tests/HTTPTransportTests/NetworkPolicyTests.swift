import Foundation
import Testing

@testable import HTTPTransport

@Suite("Which addresses may be contacted")
struct NetworkPolicyTests {
  @Test(
    "private and reserved addresses are not public (wire reference §14)",
    arguments: [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1",
      "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
      "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "fe80::1", "fc00::1",
      "fd12::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2001:db8::1", "2001::1",
      "2002:7f00:1::", "4000::1", "::127.0.0.1",
    ])
  func reserved(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!address.isPublic)
    #expect(!NetworkPolicy().allows(address))
    #expect(NetworkPolicy(allowPrivateAddresses: true).allows(address))
  }

  @Test(
    "the neighbours of those ranges are public",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
      "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:4860::8888",
      "::ffff:1.1.1.1", "64:ff9b::101:101", "3fff:ffff::1",
    ])
  func isPublic(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isPublic)
    #expect(NetworkPolicy().allows(address))
  }

  @Test("the loopback switch allows loopback and no other private address")
  func loopback() throws {
    let policy = NetworkPolicy(allowInsecureLoopback: true)
    for text in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
      #expect(policy.allows(try #require(IPAddress(text))))
    }
    for text in ["10.0.0.1", "192.168.0.1", "fe80::1", "0.0.0.0"] {
      #expect(!policy.allows(try #require(IPAddress(text))))
    }
  }

  @Test(
    "short, octal and zoned spellings are no addresses",
    arguments: ["127.1", "0177.0.0.1", "1", "fe80::1%lo", "[::1]", ""])
  func spellings(text: String) {
    #expect(IPAddress(text) == nil)
  }
}

@Suite("Where a request goes")
struct RouteTests {
  private func route(_ policy: NetworkPolicy, _ url: String) throws -> Route {
    try policy.route(for: try #require(URL(string: url)))
  }

  @Test("https to a name goes there, after a look at its address")
  func plain() throws {
    #expect(
      try route(NetworkPolicy(), "https://BSKY.social/xrpc/x?a=1")
        == Route(
          host: "bsky.social", port: 443, secureName: "bsky.social", hostHeader: "bsky.social",
          needsAddressCheck: true))
  }

  @Test(
    "http is refused everywhere but on loopback, and there unless allowed",
    arguments: [
      "http://bsky.social/", "http://127.0.0.1/", "http://localhost:2583/", "http://[::1]/",
      "http://10.0.0.1/",
    ])
  func insecure(url: String) throws {
    let origin = try #require(URL(string: url)?.origin)
    #expect(throws: HTTPError.insecureURL(origin.description)) {
      try route(NetworkPolicy(allowPrivateAddresses: true), url)
    }
    let development = NetworkPolicy(allowInsecureLoopback: true)
    if origin.isLoopback {
      #expect(try route(development, url).needsAddressCheck == false)
    } else {
      #expect(throws: HTTPError.insecureURL(origin.description)) { try route(development, url) }
    }
  }

  @Test(
    "https to a private address is refused at once",
    arguments: ["127.0.0.1", "localhost", "192.168.0.1", "[fe80::1]", "[::ffff:10.0.0.1]"])
  func privateLiterals(host: String) throws {
    let url = "https://\(host)/"
    let name = try #require(URL(string: url)?.origin?.host)
    #expect(throws: HTTPError.addressRefused(name)) { try route(NetworkPolicy(), url) }
    #expect(try route(NetworkPolicy(allowPrivateAddresses: true), url).host == name)
  }

  @Test(
    "odd URLs are refused",
    arguments: [
      "ftp://a/", "https:///x", "/x", "https://user@a/", "https://user:pw@a/", "https://a:0/",
      "https://a:70000/",
    ])
  func invalid(url: String) throws {
    guard let url = URL(string: url) else { return }  // Refused even earlier.
    #expect(throws: HTTPError.invalidURL) { try NetworkPolicy().route(for: url) }
  }

  @Test("a mapped host is contacted elsewhere, under the name it was asked by")
  func mapped() throws {
    let policy = NetworkPolicy(
      allowInsecureLoopback: true,
      hosts: [
        "alice.test": try #require(URL(string: "http://127.0.0.1:2583")),
        "*.test": try #require(URL(string: "https://[::1]:99/ignored")),
      ])
    #expect(
      try route(policy, "https://ALICE.test/.well-known/atproto-did")
        == Route(
          host: "127.0.0.1", port: 2583, secureName: nil, hostHeader: "alice.test",
          needsAddressCheck: false))
    #expect(
      try route(policy, "https://b.c.test:8443/x")
        == Route(
          host: "::1", port: 99, secureName: "b.c.test", hostHeader: "b.c.test:8443",
          needsAddressCheck: false))
    #expect(try route(policy, "https://test/").host == "test")
    #expect(try route(policy, "https://alice.test.example/").host == "alice.test.example")
  }

  @Test("the map opens no door to plain http: neither from an insecure URL nor to a far host")
  func mappedInsecure() throws {
    let far = try #require(URL(string: "http://10.0.0.1"))
    let near = try #require(URL(string: "http://127.0.0.1"))
    let policy = NetworkPolicy(
      allowInsecureLoopback: true, hosts: ["far.test": far, "a.test": near])
    #expect(throws: HTTPError.insecureURL("http://10.0.0.1")) {
      try route(policy, "https://far.test/")
    }
    #expect(throws: HTTPError.insecureURL("http://a.test")) { try route(policy, "http://a.test/") }
  }
}
