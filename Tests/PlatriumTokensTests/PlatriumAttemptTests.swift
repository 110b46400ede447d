import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON
import SystemClients
import Testing

@Suite("Platrium: asking a person in the browser")
struct PlatriumAttemptTests {
  private func query(_ url: URL) -> [String: String] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }

  @Test(
    "the page is the service's /authorize, with a challenge and without anything secret (P10–P12)")
  func page() throws {
    let attempt = try Fixture().attempt()
    let url = attempt.authorizationURL(for: PlatriumClientIdentity(name: "Grain & Co"))
    #expect(url.absoluteString.hasPrefix("https://platrium.test/authorize?"))
    let query = query(url)
    #expect(query["redirect_uri"] == "platrium://auth/callback")
    #expect(query["code_challenge"] == attempt.pkce.challenge)
    #expect(query["code_challenge_method"] == "S256")
    #expect(query["state"] == attempt.state.revealText())
    #expect(query["name"] == "Grain & Co")
    #expect(query["platform"] == nil)
    #expect(!url.absoluteString.contains(attempt.pkce.verifier.revealText()))
  }

  @Test("a platform makes the client a device, with its version; without one it is an app (P14)")
  func device() throws {
    let attempt = try Fixture().attempt()
    let device = PlatriumClientIdentity(name: "Desk", platform: "LINUX", appVersion: "1.2")
    #expect(query(attempt.authorizationURL(for: device))["platform"] == "LINUX")
    #expect(query(attempt.authorizationURL(for: device))["app_version"] == "1.2")
    let app = PlatriumClientIdentity(name: "Desk", appVersion: "1.2")
    #expect(query(attempt.authorizationURL(for: app))["app_version"] == nil)
  }

  @Test("two attempts share neither state nor verifier (P17)")
  func ownSecrets() throws {
    let server = try PlatriumServer("platrium.test")
    let first = try PlatriumAttempt(
      server: server, redirectURI: "platrium://auth/callback", random: .live)
    let second = try PlatriumAttempt(
      server: server, redirectURI: "platrium://auth/callback", random: .live)
    #expect(first.state != second.state)
    #expect(first.pkce != second.pkce)
    #expect(first.state.count == 43)
  }

  @Test(
    "an answer at the right place with the right state brings its code (P15, P19, P20)",
    arguments: [
      "platrium://auth/callback", "platrium://callback", "http://127.0.0.1:51234/callback",
      "http://[::1]:51234/callback",
    ])
  func code(redirect: String) throws {
    let attempt = try Fixture().attempt(redirectURI: redirect)
    let url = try CallbackURL("\(redirect)?code=abc&state=\(attempt.state.revealText())")
    #expect(try attempt.code(from: url) == Secret(text: "abc"))
  }

  @Test(
    "any other place, state or shape is refused (P18, A11, A12)",
    arguments: [
      "platrium://auth/callback?code=abc&state=other", "platrium://auth/callback?code=abc",
      "platrium://auth/callback/?code=abc&state=STATE",
      "platrium://auth2/callback?code=abc&state=STATE",
      "social.grain:/oauth/callback?code=abc&state=STATE",
      "platrium://auth/callback?state=STATE", "platrium://auth/callback?code=&state=STATE",
      "https://platrium.test/auth/callback?code=abc&state=STATE",
    ])
  func mismatch(text: String) throws {
    let attempt = try Fixture().attempt()
    let url = try CallbackURL(text.replacing("STATE", with: attempt.state.revealText()))
    #expect(throws: PlatriumError.callbackMismatch) { try attempt.code(from: url) }
  }

  @Test("a no of the person is told from other refusals")
  func refusals() throws {
    let attempt = try Fixture().attempt()
    let denied = try CallbackURL(
      "platrium://auth/callback?error=access_denied&state=\(attempt.state.revealText())")
    #expect(throws: PlatriumError.denied) { try attempt.code(from: denied) }
    let other = try CallbackURL(
      "platrium://auth/callback?error=server_error&state=\(attempt.state.revealText())")
    #expect(throws: PlatriumError.refused(code: "server_error", message: nil)) {
      try attempt.code(from: other)
    }
  }

  @Test("an attempt prints neither its state nor its verifier, and a refusal repeats neither (A21)")
  func printing() throws {
    let attempt = try Fixture().attempt()
    var text = "\(attempt)"
    dump(attempt, to: &text)
    let state = attempt.state.revealText()
    let echo = try CallbackURL("platrium://auth/callback?error=\(state)&state=\(state)")
    do {
      _ = try attempt.code(from: echo)
    } catch {
      text += "\(error)"
    }
    #expect(!text.contains(state))
    #expect(!text.contains(attempt.pkce.verifier.revealText()))
  }

  @Test(
    "a service is an https address; http only on loopback and only where that is allowed",
    arguments: [
      ("platrium.example.com", "https://platrium.example.com"),
      ("https://platrium.example.com/", "https://platrium.example.com"),
      ("https://platrium.example.com:8443", "https://platrium.example.com:8443"),
    ])
  func servers(typed: String, base: String) throws {
    #expect(try PlatriumServer(typed).base.absoluteString == base)
    #expect(
      try PlatriumServer("http://127.0.0.1:90", allowInsecureLoopback: true).host == "127.0.0.1")
    for bad in [
      "http://platrium.example.com", "http://127.0.0.1:90", "https://a:b@platrium.example.com",
      "https://platrium.example.com/x", "https://platrium.example.com?x=1", "",
      "javascript:alert(1)",
      "file:///etc/passwd",
    ] {
      #expect(throws: PlatriumServer.Invalid.self, "\(bad)") { try PlatriumServer(bad) }
    }
    #expect(throws: PlatriumServer.Invalid.self) {
      try PlatriumServer("http://platrium.example.com", allowInsecureLoopback: true)
    }
  }
}
