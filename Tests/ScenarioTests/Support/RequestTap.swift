import HTTPTransport
import SystemClients

/// The network of a core, listened to: every request it sends, and the failures a test puts there.
final class RequestTap: Sendable {
  private struct State {
    var requests: [HTTPRequest] = []
    var ended = 0
    var failure: HTTPError?
  }

  private let network: HTTPClient
  private let state = Locked(State())

  init(_ network: HTTPClient) {
    self.network = network
  }

  /// Every request so far, the failed ones too.
  var requests: [HTTPRequest] { state.withLock(\.requests) }

  /// How many of them have come to an end, by an answer or a failure.
  var endedCount: Int { state.withLock(\.ended) }

  /// The files that were sent, in order; one that only a nonce was missing for counts once.
  var uploadedFiles: [String] {
    var files: [String] = []
    for case .file(let path) in requests.map(\.body) where files.last != path { files.append(path) }
    return files
  }

  /// When set, no request gets through.
  var failure: HTTPError? {
    get { state.withLock(\.failure) }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The door to hand to a core.
  var http: HTTPClient {
    HTTPClient { [self] request, progress async throws(HTTPError) in
      defer { state.withLock { $0.ended += 1 } }
      let failure = state.withLock { state in
        state.requests.append(request)
        return state.failure
      }
      if let failure { throw failure }
      return try await network.send(request, progress)
    }
  }
}
