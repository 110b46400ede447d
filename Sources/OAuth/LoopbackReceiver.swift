import HTTPServing
package import SystemClients

/// Listens on this machine for one authorization response that a browser brings.
///
/// The listener stands before anybody can publish an address that leads to it, takes only `GET` on
/// exactly its path with exactly its own `Host`, answers everything else shortly and goes on waiting
/// (FB-B3, FB-B4), and is gone when the wait is over: by a response, by time, or by ``cancel()``.
///
/// - SeeAlso: RFC 8252 §7.3
package final class LoopbackReceiver: Sendable {
  /// Why no response came.
  package enum Failure: Error, Equatable, Sendable {
    /// The configured port belongs to another program (FB-B1).
    case portBusy(Int)
    /// No loopback address could be bound.
    case unavailable(String)
    /// Nobody came back in time (FB-B6).
    case timedOut
    /// The wait was given up.
    case cancelled
  }

  /// What became of a callback, said by the one who knows the attempt.
  package enum Verdict: Sendable, Equatable {
    /// It belongs to the attempt, which goes on.
    case accepted
    /// It belongs to the attempt: the person said no.
    case denied
    /// It belongs to the attempt, which failed.
    case failed
    /// It belongs to no attempt; the wait goes on.
    case ignored
  }

  /// The redirect URI that leads here: an address literal and the real port (FB-B2).
  package let redirectURI: String
  /// The redirect's route.
  package let route: CallbackRoute

  private typealias Outcome = Result<CallbackURL, Failure>
  private let settle: AsyncStream<Outcome>.Continuation
  private let wait: Task<Outcome, Never>

  /// Binds and starts to wait.
  ///
  /// - `hosts`: loopback addresses, the first that can be bound is taken.
  /// - `port`: 0 lets the system choose.
  /// - `timeout`: how long to wait for the browser.
  /// - `judge`: looks at every callback that arrives at the right place; must be quick, the browser
  ///   waits for it.
  /// - Throws: ``Failure/portBusy(_:)`` or ``Failure/unavailable(_:)``.
  package static func start(
    path: String = "/callback", hosts: [String] = ["127.0.0.1", "::1"], port: Int = 0,
    timeout: Duration, clock: SystemClock,
    judge: @escaping @Sendable (CallbackURL) async -> Verdict = {
      $0.error == nil ? .accepted : .denied
    }
  ) async throws(Failure) -> LoopbackReceiver {
    let (outcomes, settle) = AsyncStream.makeStream(
      of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
    var reason = "no address"
    for host in hosts {
      let gate = LoopbackGate(path: path, judge: judge) { settle.yield(.success($0)) }
      let server: HTTPServer
      do {
        server = try await HTTPServer.start(
          host: host, port: port, limits: .callback, handler: { await gate.answer($0) })
      } catch .portInUse where port != 0 {
        throw .portBusy(port)
      } catch {
        reason = "\(error)"
        continue
      }
      let authority = (host.contains(":") ? "[\(host)]" : host) + ":\(server.port)"
      gate.open(authority: authority)
      do {
        return try LoopbackReceiver(
          redirectURI: "http://\(authority)\(path)", server: server, outcomes: outcomes,
          settle: settle, timeout: timeout, clock: clock)
      } catch {
        throw .unavailable("path")
      }
    }
    throw .unavailable(reason)
  }

  private init(
    redirectURI: String, server: HTTPServer, outcomes: AsyncStream<Outcome>,
    settle: AsyncStream<Outcome>.Continuation, timeout: Duration, clock: SystemClock
  ) throws(CallbackRoute.Invalid) {
    route = try CallbackRoute(redirectURI: redirectURI)
    self.redirectURI = redirectURI
    self.settle = settle
    let timer = Task {
      do {
        try await clock.sleep(timeout)
        settle.yield(.failure(.timedOut))
      } catch {
        // Cancelled below: the wait ended before its time.
      }
    }
    wait = Task {
      var result: Outcome = .failure(.cancelled)
      for await outcome in outcomes {
        result = outcome
        break
      }
      timer.cancel()
      await server.finish()
      return result
    }
  }

  /// The response that arrived; waits for it. The listener is closed when this returns.
  ///
  /// - Throws: ``Failure/timedOut`` or ``Failure/cancelled``, the latter also when the calling task is
  ///   cancelled.
  package func callback() async throws(Failure) -> CallbackURL {
    let outcome = await withTaskCancellationHandler {
      await wait.value
    } onCancel: {
      settle.yield(.failure(.cancelled))
    }
    return try outcome.get()
  }

  /// Gives up and frees the port before it returns. Harmless when the wait is already over.
  package func cancel() async {
    settle.yield(.failure(.cancelled))
    _ = await wait.value
  }
}

extension HTTPServerLimits {
  /// Room for a browser's requests and no more (FB-B7).
  fileprivate static let callback = HTTPServerLimits(
    bodyBytes: 4096, connections: 32, headerTime: .seconds(5), stallTime: .seconds(5))
}
