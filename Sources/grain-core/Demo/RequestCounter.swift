import Foundation
import HTTPTransport
import SystemClients

/// A network that counts the requests that go through it.
///
/// What the core asks by itself while nobody waits — how the account stands, its Grain profile — is
/// not counted: when it is asked depends on what else the machine does.
final class RequestCounter: Sendable {
  /// The network to hand to a core.
  let http: HTTPClient
  private let requests = Tally()

  /// Every request so far that somebody waited for.
  var count: Int { requests.value.withLock { $0 } }

  init(_ network: HTTPClient) {
    let requests = requests
    http = HTTPClient { request, progress async throws(HTTPError) in
      if !Self.isUpkeep(request) { requests.value.withLock { $0 += 1 } }
      return try await network.send(request, progress)
    }
  }

  private static func isUpkeep(_ request: HTTPRequest) -> Bool {
    let url = request.url.absoluteString
    if url.contains("com.atproto.server.getSession") || url.contains("actor.profile") {
      return true
    }
    guard case .bytes(let body) = request.body else { return false }
    return Data(body).range(of: Data("social.grain.actor.profile".utf8)) != nil
      && url.contains("/xrpc/")
  }

  private final class Tally: Sendable {
    let value = Locked(0)
  }
}
