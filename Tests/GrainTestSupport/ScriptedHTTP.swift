package import HTTPTransport
import SystemClients
import Testing

/// A network that answers from a script and remembers what it was asked.
///
/// A request the script does not foresee fails the test.
package final class ScriptedHTTP: Sendable {
  /// One answer of the script.
  package struct Answer: Sendable {
    let make: @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse

    /// An answer made from the request.
    package init(
      make: @escaping @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse
    ) {
      self.make = make
    }

    /// A response.
    package static func response(_ response: HTTPResponse) -> Answer {
      Answer { _ in response }
    }

    /// A response with a JSON body.
    package static func json(
      _ body: String, status: Int = 200, headers: HTTPHeaders = [:]
    ) -> Answer {
      var headers = headers
      if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
      return .response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// A response without a body.
    package static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Answer {
      .response(HTTPResponse(status: status, headers: headers))
    }

    /// No response.
    package static func failure(_ error: HTTPError) -> Answer {
      Answer { _ throws(HTTPError) in throw error }
    }
  }

  private let answer: @Sendable (_ request: HTTPRequest, _ index: Int) -> Answer?
  private let asked = Locked<[HTTPRequest]>([])

  /// Answers in that order, each once.
  package convenience init(_ answers: Answer...) {
    self.init(answers)
  }

  /// Answers in that order, each once.
  package init(_ answers: [Answer]) {
    answer = { _, index in answers.indices.contains(index) ? answers[index] : nil }
  }

  /// Answers by looking at the request; `nil` for one that was not foreseen.
  package init(answering answer: @escaping @Sendable (HTTPRequest) -> Answer?) {
    self.answer = { request, _ in answer(request) }
  }

  /// All requests so far, in the order of their sending.
  package var requests: [HTTPRequest] { asked.withLock { $0 } }

  /// The door to this network.
  package var client: HTTPClient {
    HTTPClient { [self] request, _ throws(HTTPError) in
      let index = asked.withLock { asked in
        asked.append(request)
        return asked.count - 1
      }
      guard let answer = answer(request, index) else {
        Issue.record("unscripted request: \(request.method) \(request.url)")
        throw .badResponse("unscripted request")
      }
      return try await answer.make(request)
    }
  }
}
