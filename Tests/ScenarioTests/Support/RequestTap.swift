import HTTPTransport
import SystemClients

/// The network of a core, listened to: every request it sends, and the failures a test puts there.
final class RequestTap: Sendable {
  private struct State {
    var requests: [HTTPRequest] = []
    var ended = 0
    var failure: HTTPError?
    var disguise: Disguise?
  }

  /// A JSON value as servers have it, and as the core has it.
  struct Disguise {
    let atServers: String
    let inCore: String
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

  /// When set, the core reads one JSON value for another, and servers the other way round: what other
  /// servers send that the sandbox's do not store.
  var disguise: Disguise? {
    get { state.withLock(\.disguise) }
    set { state.withLock { $0.disguise = newValue } }
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
      guard let disguise else { return try await network.send(request, progress) }
      var request = request
      if case .bytes(let body) = request.body {
        request.body = .bytes(body.replacing(disguise.inCore.utf8, with: disguise.atServers.utf8))
      }
      var response = try await network.send(request, progress)
      response.body.replace(disguise.atServers.utf8, with: disguise.inCore.utf8)
      return response
    }
  }
}
