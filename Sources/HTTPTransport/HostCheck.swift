import Foundation

/// Whether this machine finds hosts by name; for a report. Requests look names up for themselves.
package enum HostCheck {
  /// How a look-up came out.
  package enum Outcome: Equatable, Sendable {
    /// It has that many addresses.
    case found(addresses: Int)
    /// The proxy of the environment looks it up.
    case leftToProxy
    case failed(HTTPError)
  }

  /// Looks a secure server's name up as a request would.
  ///
  /// - Parameters:
  ///   - host: a name or an address.
  ///   - limit: how long to wait; a resolver that does not answer may take half a minute.
  /// - Returns: `failed(.timeout)` when the limit passed.
  package static func look(up host: String, within limit: Duration) async -> Outcome {
    let settings = ProxySettings(environment: ProcessInfo.processInfo.environment)
    if settings.proxy(for: host) != nil { return .leftToProxy }
    let (outcomes, outcome) = AsyncStream.makeStream(
      of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
    // The look-up blocks and cannot be stopped, so it gets a thread that nobody waits for.
    Thread.detachNewThread {
      do throws(HTTPError) {
        outcome.yield(.found(addresses: try HostLookup.system.addresses(host).count))
      } catch {
        outcome.yield(.failed(error))
      }
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      outcome.yield(.failed(.timeout))
    }
    defer { timer.cancel() }
    return await outcomes.first { _ in true } ?? .failed(.timeout)
  }
}
