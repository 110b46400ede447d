import Foundation
import HTTPTransport
import Testing

@Suite("Origins")
struct OriginTests {
  @Test(
    "scheme, host and port make the origin; the default port is left out",
    arguments: [
      ("https://Bsky.Social/x?y#z", "https://bsky.social"),
      ("https://bsky.social:443", "https://bsky.social"),
      ("http://127.0.0.1:2583/", "http://127.0.0.1:2583"),
      ("http://localhost:80/a", "http://localhost"), ("https://h:80", "https://h:80"),
      ("HTTP://[::1]:9/", "http://[::1]:9"),
    ])
  func description(url: String, expected: String) throws {
    #expect(try #require(URL(string: url)).origin?.description == expected)
  }

  @Test(
    "other URLs have none",
    arguments: [
      "social.grain:/cb?code=1", "ftp://a/b", "/path", "mailto:a@b", "https:///x", "data:,x",
    ])
  func none(url: String) throws {
    #expect(try #require(URL(string: url)).origin == nil)
  }

  @Test("only localhost and loopback addresses are loopback by their spelling")
  func loopback() throws {
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]"]
    {
      #expect(try #require(URL(string: "http://\(host)/")?.origin).isLoopback, "\(host)")
    }
    for host in ["localhost.example", "128.0.0.1", "[::2]", "127.1", "0.0.0.0", "a.localhost"] {
      #expect(try #require(URL(string: "http://\(host)/")?.origin).isLoopback == false, "\(host)")
    }
  }
}
