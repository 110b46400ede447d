import Foundation
import GrainTestSupport
import OAuth
import StrictJSON
import Testing

@Suite("Who we say we are")
struct ClientIdentityTests {
  private let id = "https://grain.social/oauth/app-client-metadata.json"

  @Test(
    "a published client comes back by its reversed host, a loopback literal or its own origin (G2, G3)",
    arguments: [
      "social.grain:/oauth/callback", "http://127.0.0.1:4711/callback",
      "http://[::1]:4711/callback",
      "https://grain.social/callback",
    ])
  func redirects(redirect: String) throws {
    let client = try ClientIdentity.published(clientID: id, redirectURI: redirect)
    #expect(client.clientID == id)
    #expect(client.redirectURI == redirect)
  }

  @Test(
    "a redirect no server takes is refused before anybody is asked",
    arguments: [
      "social.grain://oauth/callback", "grain:/oauth/callback", "grain.social:/oauth/callback",
      "http://localhost:4711/callback", "http://192.168.1.2/callback", "https://evil.test/callback",
      "https://grain.social.evil.test/", "javascript:alert(1)", "", "social.grain:callback",
    ])
  func refusedRedirects(redirect: String) {
    #expect(throws: ClientIdentity.Invalid.redirectURI(redirect)) {
      try ClientIdentity.published(clientID: id, redirectURI: redirect)
    }
  }

  @Test(
    "a client id is the https address of a document",
    arguments: [
      "http://grain.social/c.json", "https://grain.social", "https://grain.social/",
      "https://grain.social/x/", "https://u@grain.social/c.json", "https://grain.social/c.json#x",
      "https://10.0.0.1/c.json", "https://localhost/c.json", "grain",
    ])
  func refusedIDs(clientID: String) {
    #expect(throws: ClientIdentity.Invalid.clientID(clientID)) {
      try ClientIdentity.published(clientID: clientID, redirectURI: "social.grain:/oauth/callback")
    }
  }

  @Test(
    "the development id carries redirect and scope, encoded once and without a port (G97, FB-A24)")
  func development() throws {
    let client = try ClientIdentity.development(
      redirectURI: "http://127.0.0.1:4711/cb", scope: "atproto rpc:*?aud=did:web:a.test%23svc")
    #expect(
      client.clientID == "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb"
        + "&scope=atproto%20rpc%3A%2A%3Faud%3Ddid%3Aweb%3Aa.test%2523svc")
    #expect(client.redirectURI == "http://127.0.0.1:4711/cb")
    let other = try ClientIdentity.development(
      redirectURI: "http://127.0.0.1:9999/cb", scope: "atproto rpc:*?aud=did:web:a.test%23svc")
    #expect(client.clientID == other.clientID)
    let six = try ClientIdentity.development(redirectURI: "http://[::1]:4711/cb", scope: "atproto")
    #expect(
      six.clientID == "http://localhost?redirect_uri=http%3A%2F%2F%5B%3A%3A1%5D%2Fcb&scope=atproto")
  }

  @Test(
    "the development client needs a loopback literal",
    arguments: [
      "http://localhost:1/cb", "social.grain:/oauth/callback", "https://127.0.0.1/cb",
      "http://127.0.0.1.evil.tld/callback", "http://0.0.0.0:1/callback",
    ])
  func refusedDevelopment(redirect: String) {
    #expect(throws: ClientIdentity.Invalid.redirectURI(redirect)) {
      try ClientIdentity.development(redirectURI: redirect, scope: "atproto")
    }
  }
}
