import Foundation
import GrainLexicon
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite("What is said on the wire")
struct WireTests {
  @Test("no sign-in, sign-up, refresh or sign-out ever goes to the app server (G1, G67)")
  func appServer() async throws {
    let story = try await WireStory.told
    let appServer = HTTPRequest(method: "GET", url: story.addresses.appView).server
    let asked = Set(story.requests.filter { $0.server == appServer }.map { $0.url.path() })
    // It resolves handles in this network; nothing else is asked of it without the proxy.
    #expect(asked.allSatisfy { !$0.contains("/oauth/") }, "\(asked)")
    #expect(story.requests(to: Path.pushedRequest).count >= 2)
    #expect(story.requests(to: Path.token).count >= 3)
    #expect(!story.requests(to: Path.revocation).isEmpty)
  }

  @Test("the app server has no sign-in to offer: its OAuth paths do not exist (G67)")
  func appServerOffersNoSignIn() async throws {
    try await World.run { (world) async throws -> Void in
      for path in ["/oauth/par", "/oauth/authorize", "/oauth/token"] {
        let url = world.network.addresses.appView.appending(path: path)
        #expect(try await world.http.send(HTTPRequest(method: "POST", url: url)).status == 404)
      }
      let document = try #require(URL(string: world.network.addresses.clientID))
      #expect(
        try await world.http.send(HTTPRequest(method: "GET", url: document)).status == 200)
    }
  }

  @Test("did:plc documents come from the directory, also the one a sign-up leads to (G9, G27)")
  func directory() async throws {
    let story = try await WireStory.told
    let directory = HTTPRequest(method: "GET", url: story.addresses.plc).server
    let documents = story.requests.filter { $0.url.path().contains("did:plc:") }
    #expect(documents.allSatisfy { $0.server == directory })
    #expect(documents.contains { $0.url.path().hasSuffix(story.did) })
    #expect(Set(documents.map { $0.url.path() }).count >= 2, "the new account's too")
  }

  @Test("every pushed request has a state of its own, long enough not to be guessed (G17)")
  func state() async throws {
    let story = try await WireStory.told
    // One request is sent twice when a nonce was missing; then it is the same request.
    let states = Set(story.requests(to: Path.pushedRequest).compactMap { $0.form["state"] })
    #expect(states.count == 2)
    #expect(states.allSatisfy { $0.count == 43 })
    let challenges = Set(
      story.requests(to: Path.pushedRequest).compactMap { $0.form["code_challenge"] })
    #expect(challenges.count == 2)
  }

  @Test("neither a secret nor an assertion of the client is sent anywhere (G2)")
  func publicClient() async throws {
    let story = try await WireStory.told
    let forms = story.requests.filter { $0.url.path().hasPrefix("/oauth/") }.map(\.form)
    #expect(!forms.isEmpty)
    for form in forms {
      #expect(form["client_secret"] == nil)
      #expect(form["client_assertion"] == nil)
      #expect(form["client_id"] == story.addresses.clientID)
    }
  }

  @Test("each signed call carries the access token as DPoP and a proof of its own (G34, G35)")
  func signedCalls() async throws {
    let story = try await WireStory.told
    #expect(story.signedCalls.count > 5)
    for call in story.signedCalls {
      #expect(call.headers["Authorization"]?.hasPrefix("DPoP ") == true)
      #expect(call.headers["DPoP"]?.split(separator: ".").count == 3)
    }
    let proofs = story.signedCalls.compactMap { $0.headers["DPoP"] }
    #expect(Set(proofs).count == proofs.count)
  }

  @Test("signed calls go to the account's own server, whatever they ask for (G33, G36, G37)")
  func ownServer() async throws {
    let story = try await WireStory.told
    let own = Set(
      [story.addresses.pds, story.addresses.signUpPDS].map {
        HTTPRequest(method: "GET", url: $0).server
      })
    for call in story.signedCalls {
      #expect(own.contains(call.server), "\(call.url)")
      let isRepository = call.url.path().hasPrefix("/xrpc/com.atproto.")
      #expect((call.headers["atproto-proxy"] == nil) == isRepository, "\(call.url)")
    }
  }

  @Test("the old write methods and getServiceAuth are gone (G53, G70)")
  func goneMethods() async throws {
    let story = try await WireStory.told
    let gone = [
      "dev.hatk.createRecord", "dev.hatk.putRecord", "dev.hatk.deleteRecord",
      "dev.hatk.applyWrites", "dev.hatk.uploadBlob", "com.atproto.server.getServiceAuth",
    ]
    for path in Set(story.requests.map { $0.url.path() }) {
      #expect(!gone.contains { path.hasSuffix($0) }, "\(path)")
    }
  }

  @Test("a gallery is one applyWrites to the own repository, each entry a #create (G43, G44, G92)")
  func writes() async throws {
    let story = try await WireStory.told
    let commits = story.requests(to: Path.applyWrites)
    // Sent twice at most, when a nonce was missing; then it is the same commit.
    #expect(commits.allSatisfy { $0.body == commits.first?.body })
    guard case .bytes(let bytes) = try #require(commits.last).body else {
      Issue.record("the commit has no body")
      return
    }
    let body = try JSONParser.parse(bytes)
    #expect(body["repo"]?.stringValue == story.did)
    let writes = try #require(body["writes"]?.arrayValue)
    #expect(!writes.isEmpty)
    for write in writes {
      #expect(write["$type"] == "com.atproto.repo.applyWrites#create")
      #expect(write["collection"]?.stringValue?.hasPrefix("social.grain.") == true)
    }
  }

  @Test("what was written goes to the index through the proxy, each address once (G46, G49, G92)")
  func index() async throws {
    let story = try await WireStory.told
    let calls = story.requests(to: Path.indexRecords)
    let uris = try calls.flatMap { call -> [String] in
      #expect(call.headers["atproto-proxy"]?.contains("#grain_appview") == true)
      guard case .bytes(let bytes) = call.body else { return [] }
      return try JSONParser.parse(bytes)["uris"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    #expect(Set(uris).allSatisfy { $0.hasPrefix("at://\(story.did)/social.grain.") })
    #expect(Set(uris).count >= 7, "a gallery, three photographs, three items")
  }

  @Test("a refresh asks nobody where to go: the stored endpoint is used (G54)")
  func refresh() async throws {
    let story = try await WireStory.told
    #expect(story.requests(to: Path.token).contains { $0.form["grant_type"] == "refresh_token" })
    let discoveries = story.requests(to: "/.well-known/oauth-authorization-server")
    let own = HTTPRequest(method: "GET", url: story.addresses.pds).server
    #expect(discoveries.count { $0.server == own } == 1, "once, for the sign-in")
  }
}
