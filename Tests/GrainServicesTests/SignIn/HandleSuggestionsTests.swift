import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import Testing

@testable import GrainServices

@Suite("Suggestions while typing a handle")
struct HandleSuggestionsTests {
  private let clock = TestClock()

  private func suggestions(_ http: ScriptedHTTP) throws -> HandleSuggestions {
    HandleSuggestions(
      appServer: try #require(URL(string: "https://grain.social")), http: http.client,
      clock: clock.clock)
  }

  @Test("are asked of the app server, without credentials, once typing pauses")
  func asks() async throws {
    let http = ScriptedHTTP(
      .json(
        """
        {"actors":[
          {"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","handle":"alice.test","displayName":"Alice",
           "avatar":"https://cdn.test/a.jpg"},
          {"did":"no did","handle":"mallory.test"},
          {"did":"did:plc:bbbbbbbbbbbbbbbbbbbbbbbb","handle":"alicia.test",
           "avatar":"http://insecure.test/b.jpg","displayName":"Ali\\u202Ecia\\n\\u0007"}]}
        """))
    let suggestions = try suggestions(http)
    async let found = suggestions.accounts(for: " @\u{202A}Alic ")
    await clock.sleepers(atLeast: 1)
    #expect(http.requests.isEmpty)
    await clock.advance(by: .milliseconds(200))
    let accounts = await found
    #expect(accounts.map(\.handle.rawValue) == ["alice.test", "alicia.test"])
    #expect(accounts.map(\.avatar) == ["https://cdn.test/a.jpg", nil])
    // What a stranger calls themselves turns no text around and breaks no line.
    #expect(accounts.map(\.displayName) == ["Alice", "Ali cia"])
    let request = try #require(http.requests.first)
    #expect(request.url.query() == "q=alic&limit=5")
    #expect(request.headers["Authorization"] == nil)
    #expect(request.headers["DPoP"] == nil)
  }

  @Test("one letter asks nobody, nor does a DID", arguments: ["a", " @a ", "did:plc:aaaa"])
  func shortText(text: String) async throws {
    let http = ScriptedHTTP()
    #expect(try await suggestions(http).accounts(for: text) == [])
    #expect(http.requests.isEmpty)
  }

  @Test("a server that does not answer leaves typing alone")
  func serverFault() async throws {
    let suggestions = try suggestions(ScriptedHTTP(.status(500)))
    async let found = suggestions.accounts(for: "alice")
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(200))
    #expect(await found == [])
  }
}
