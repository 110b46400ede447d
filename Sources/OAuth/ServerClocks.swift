package import Foundation
package import HTTPTransport
package import SystemClients

/// How far each server's clock is from ours, learnt only after a server refused a proof for its time.
///
/// A proof's `iat` must lie within a few minutes of the server's clock, and a machine whose clock is
/// wrong could otherwise not sign in at all (A44).
package final class ServerClocks: Sendable {
  private let offsets = Locked<[Origin: TimeInterval]>([:])

  /// Trusts this machine's clock until a server objects.
  package init() {}

  /// The time as the server at this URL has it.
  package func now(for url: URL, clock: SystemClock) -> Date {
    let offset = Origin(url).flatMap { origin in offsets.withLock { $0[origin] } }
    return clock.now().addingTimeInterval(offset ?? 0)
  }

  /// Takes the server's clock from the `Date` header of a response that refused a proof.
  ///
  /// - Returns: whether the response told the time.
  @discardableResult
  package func correct(from response: HTTPResponse, url: URL) -> Bool {
    guard let origin = Origin(url), let date = response.date else { return false }
    offsets.withLock { $0[origin] = date.timeIntervalSince(response.receivedAt) }
    return true
  }
}
