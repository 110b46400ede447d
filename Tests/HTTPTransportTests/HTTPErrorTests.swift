import Foundation
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("Failures of a request")
struct HTTPErrorTests {
  @Test("only a request that may have arrived may have been processed")
  func processed() {
    let mayHave: [HTTPError] = [
      .timeout, .connectionLost, .bodyTooLarge, .cancelled, .badResponse("x"),
    ]
    let cannotHave: [HTTPError] = [
      .offline, .cannotFindHost("a"), .cannotConnect("a"), .tls("x"), .addressRefused("a"),
      .insecureURL("a"), .invalidURL, .fileUnreadable("a"),
    ]
    #expect(mayHave.allSatisfy { $0.mayHaveBeenProcessed })
    #expect(!cannotHave.contains { $0.mayHaveBeenProcessed })
  }
}

@Suite("The network of the tests")
struct ScriptedHTTPTests {
  @Test("answers come in order and requests are remembered")
  func order() async throws {
    let server = ScriptedHTTP(.json("{}"), .failure(.connectionLost), .status(204))
    let url = try #require(URL(string: "https://a.test/x"))
    let request = HTTPRequest(method: "POST", url: url, body: .bytes([1]))
    #expect(try await server.client.send(request).contentType == "application/json")
    await #expect(throws: HTTPError.connectionLost) { try await server.client.send(request) }
    #expect(try await server.client.send(request).status == 204)
    #expect(server.requests == [request, request, request])
  }

  @Test("a request that was not foreseen fails the test")
  func unscripted() async throws {
    let url = try #require(URL(string: "https://a.test/x"))
    await withKnownIssue {
      _ = try await ScriptedHTTP { _ in nil }.client.send(HTTPRequest(url: url))
    }
  }
}
