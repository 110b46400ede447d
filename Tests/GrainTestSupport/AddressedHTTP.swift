import Foundation
package import HTTPTransport
import SystemClients

/// A network where each address has a script of its own: its answers in turn, the last one again
/// and again. A request to an address without a script fails the test.
package final class AddressedHTTP: Sendable {
  private let answers = Locked<[String: [ScriptedHTTP.Answer]]>([:])
  private let asked = Locked<[HTTPRequest]>([])

  /// A network in which nobody answers yet.
  package init() {}

  /// Replaces what an address (`host/path`, no scheme, no query) answers.
  package func answer(_ address: String, _ list: ScriptedHTTP.Answer...) {
    answer(address, list)
  }

  /// Replaces what an address answers.
  package func answer(_ address: String, _ list: [ScriptedHTTP.Answer]) {
    answers.withLock { $0[address] = list }
  }

  /// All requests so far, in the order of their sending.
  package var requests: [HTTPRequest] { asked.withLock { $0 } }

  /// The addresses asked so far.
  package var addresses: [String] { requests.map(Self.address) }

  /// The requests an address got.
  package func requests(to address: String) -> [HTTPRequest] {
    requests.filter { Self.address($0) == address }
  }

  /// The door to this network.
  package var client: HTTPClient {
    HTTPClient { [self] request, sent throws(HTTPError) in
      asked.withLock { $0.append(request) }
      let answer = answers.withLock { answers -> ScriptedHTTP.Answer? in
        let address = Self.address(request)
        guard let list = answers[address], let first = list.first else { return nil }
        if list.count > 1 { answers[address] = Array(list.dropFirst()) }
        return first
      }
      return try await ScriptedHTTP(answer.map { [$0] } ?? []).client.send(request, sent)
    }
  }

  private static func address(_ request: HTTPRequest) -> String {
    let url = request.url
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.host() ?? "")\(port)\(url.path(percentEncoded: true))"
  }
}

extension ScriptedHTTP.Answer {
  /// The same answer, given once the gate is open; a task that was cancelled by then gets none.
  package func held(at gate: Gate) -> ScriptedHTTP.Answer {
    ScriptedHTTP.Answer { request throws(HTTPError) in
      await gate.pass()
      if Task.isCancelled { throw .cancelled }
      return try await make(request)
    }
  }
}
