import Foundation
import FoundationNetworking
import Synchronization
import SystemClients

/// One request on its way: collects the answer and settles exactly once, with the answer or with
/// the first thing that goes wrong — the deadline, cancellation, the limit or the transport.
final class Exchange: Sendable {
  typealias Outcome = Result<HTTPResponse, HTTPError>

  private struct State {
    var outcome: Outcome?
    var continuation: CheckedContinuation<Outcome, Never>?
    var task: URLSessionTask?
    var head: HTTPURLResponse?
    var body: [UInt8] = []
  }

  private let host: String
  private let limit: Int
  private let clock: SystemClock
  private let progress: (@Sendable (Int64) -> Void)?
  private let state = Mutex(State())

  init(
    host: String, limit: Int, clock: SystemClock, progress: (@Sendable (Int64) -> Void)?
  ) {
    self.host = host
    self.limit = limit
    self.clock = clock
    self.progress = progress
  }

  /// Takes the continuation that waits for the outcome; false if that is already there.
  func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.continuation = continuation }
      return state.outcome
    }
    if let outcome { continuation.resume(returning: outcome) }
    return outcome == nil
  }

  /// Takes the task that carries the request; false if it must not start any more.
  func attach(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      guard state.outcome == nil else { return false }
      state.task = task
      return true
    }
  }

  /// Settles the outcome, unless it is settled, and ends the transport's task.
  func settle(_ outcome: Outcome) {
    let (task, continuation) = state.withLock { state in
      guard state.outcome == nil else {
        return (nil as URLSessionTask?, nil as CheckedContinuation<Outcome, Never>?)
      }
      state.outcome = outcome
      state.body = []
      state.head = nil
      defer {
        state.task = nil
        state.continuation = nil
      }
      return (state.task, state.continuation)
    }
    // Outside the lock: both may call back into this exchange.
    task?.cancel()
    continuation?.resume(returning: outcome)
  }

  // MARK: What the session's delegate reports.

  func didReceive(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse else {
      return settle(.failure(.badResponse("no HTTP")))
    }
    guard head.statusCode >= 200 else { return }  // The real one follows.
    state.withLock { $0.head = head }
    // The session would now wait for ever for a credential (FB-F1): the answer is what it has.
    if head.statusCode == 401, HTTPHeaders(head).offersBasic { didComplete(nil) }
  }

  /// Counts decoded bytes. After the limit the transport goes on delivering for a while although
  /// its task is cancelled; those bytes are dropped.
  func didReceive(_ data: Data) {
    let isTooLarge = state.withLock { state in
      guard state.outcome == nil else { return false }
      guard state.body.count + data.count <= limit else { return true }
      data.withUnsafeBytes { state.body.append(contentsOf: $0) }
      return false
    }
    if isTooLarge { settle(.failure(.bodyTooLarge)) }
  }

  func didSend(_ total: Int64) {
    guard let progress, state.withLock({ $0.outcome == nil }) else { return }
    progress(total)
  }

  func didComplete(_ error: (any Error)?) {
    if let error { return settle(.failure(HTTPError(error, host: host))) }
    let now = clock.now()
    let outcome = state.withLock { state -> Outcome in
      // Redirects without a usable address do not pass by `didReceive`; the task still has them.
      guard let head = state.head ?? (state.task?.response as? HTTPURLResponse),
        head.statusCode >= 200
      else { return .failure(.badResponse("no response")) }
      return .success(
        HTTPResponse(
          status: head.statusCode, headers: HTTPHeaders(head), body: state.body, receivedAt: now))
    }
    settle(outcome)
  }
}

extension HTTPHeaders {
  /// Whether a challenge of the scheme `Basic` stands anywhere in the fields.
  fileprivate var offersBasic: Bool {
    all("WWW-Authenticate").joined(separator: ", ").lowercased().split(separator: ",")
      .contains { $0.drop { $0 == " " }.hasPrefix("basic") }
  }

  /// The fields as Foundation kept them: each name once, its values joined; sorted by name, since
  /// their order is lost.
  init(_ response: HTTPURLResponse) {
    self.init()
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { ($0, String(describing: value)) }
    }
    for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) { add(name, value) }
  }
}
