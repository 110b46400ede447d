import HTTPTransport
import SystemClients

/// A network that counts the requests that go through it.
final class RequestCounter: Sendable {
  /// The network to hand to a core.
  let http: HTTPClient
  private let requests = Tally()

  /// Every request so far.
  var count: Int { requests.value.withLock { $0 } }

  init(_ network: HTTPClient) {
    let requests = requests
    http = HTTPClient { request, progress async throws(HTTPError) in
      requests.value.withLock { $0 += 1 }
      return try await network.send(request, progress)
    }
  }

  private final class Tally: Sendable {
    let value = Locked(0)
  }
}
