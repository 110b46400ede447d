import Foundation
import GrainSnapshots
import Testing

@Suite("Problems and their words")
struct ProblemTests {
  @Test("the registered sentence is filled with what the message mentions")
  func words() {
    let problem = Problem(.loginHandleInvalid, params: ["handle": "alice"], field: "/handle")
    #expect(problem.message.key == "login.handleInvalid")
    #expect(
      problem.message.fallback == "“alice” is not a full handle. Try alice.example.com.")
    #expect(problem.code == 2001)
    #expect(!problem.retryable)
  }

  @Test("a sentence for one place replaces the registered one, and is filled as well")
  func otherWords() {
    let problem = Problem(
      .galleryTooManyPhotos, params: ["limit": 20], fallback: "{limit} is all a story can hold.")
    #expect(problem.message.fallback == "20 is all a story can hold.")
  }

  @Test("a missing parameter leaves an ellipsis, and a stray brace stays what it is")
  func unfilled() {
    #expect(Message(key: "k", template: "Sign in as {who}.").fallback == "Sign in as ….")
    #expect(Message(key: "k", template: "a { b").fallback == "a { b")
    #expect(Message(key: "k", params: ["a": "{b}"], template: "{a}").fallback == "{b}")
  }

  @Test("a problem says its code, the data of an error leaves it to the error")
  func coding() throws {
    let problem = Problem(
      .serverRateLimited, params: ["host": "pds.example"], retryAfterMs: 1500,
      details: ["attempt": 2, "hosts": ["a", "b"]], cause: .networkTimeout)
    let encoded = try JSONEncoder().encode(problem)
    #expect(try JSONDecoder().decode(Problem.self, from: encoded) == problem)
    let data = try JSONEncoder().encode(ErrorData(problem))
    #expect(try JSONDecoder().decode(ErrorData.self, from: data).problem == problem)
    let members = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(members["code"] == nil)
    #expect(members["field"] == nil)
    #expect(members["cause"] as? String == "network.timeout")
  }

  @Test("a problem whose code is not that of its kind is refused")
  func wrongCode() {
    let text = """
      {"code":1002,"kind":"intent.notAvailable","retryable":false,\
      "message":{"key":"k","params":{},"fallback":"f"}}
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Problem.self, from: Data(text.utf8))
    }
  }
}
