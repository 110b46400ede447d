import Foundation
import HTTPServing
import HTTPTransport
import Synchronization
import SystemClients

/// One origin of the sandbox: a real server on loopback, its log and its faults.
///
/// It is bound first and given its handler later, because a server must know its own address.
final class SandboxServer: Sendable {
  typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

  let name: String
  /// The address really listened on, without a trailing slash.
  let url: URL
  private let server: HTTPServer
  private let front: Front

  private init(name: String, url: URL, server: HTTPServer, front: Front) {
    self.name = name
    self.url = url
    self.server = server
    self.front = front
  }

  /// Binds a port of loopback; 0 for any free one.
  static func bind(
    _ name: String, port: Int, log: RequestLog, faults: SandboxFaults, clock: SystemClock
  ) async throws -> SandboxServer {
    let front = Front(name: name, log: log, faults: faults, clock: clock)
    let server = try await HTTPServer.start(host: "127.0.0.1", port: port) { request in
      await front.answer(request)
    }
    guard let url = URL(string: "http://127.0.0.1:\(server.port)") else {
      throw HTTPError.invalidURL
    }
    front.setURL(url)
    return SandboxServer(name: name, url: url, server: server, front: front)
  }

  /// Opens the doors; until then every request is answered 503.
  func serve(_ handler: @escaping Handler) { front.setHandler(handler) }

  func stop() async { await server.stop() }
}

/// What stands between the socket and a server's own code.
private final class Front: Sendable {
  private struct State {
    var url: URL?
    var handler: SandboxServer.Handler?
  }

  private let name: String
  private let log: RequestLog
  private let faults: SandboxFaults
  private let clock: SystemClock
  private let state = Mutex(State())

  init(name: String, log: RequestLog, faults: SandboxFaults, clock: SystemClock) {
    self.name = name
    self.log = log
    self.faults = faults
    self.clock = clock
  }

  func setURL(_ url: URL) { state.withLock { $0.url = url } }

  func setHandler(_ handler: @escaping SandboxServer.Handler) {
    state.withLock { $0.handler = handler }
  }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    let (url, handler) = state.withLock { ($0.url, $0.handler) }
    guard let url, let handler else { return .empty(status: 503) }
    let entry = log.arrival(request, at: name, url: url)
    let fault = await faults.take(server: name, method: request.method, path: request.path)
    var response: HTTPServerResponse
    switch fault {
    case .dropBeforeProcessing:
      response = .cut
    case .lostAnswer:
      _ = await handler(request)
      response = .cut
    case .status(let status, let retryAfter):
      response = XRPCRefusal(status, "SandboxFault", HTTPStatusReason.phrase(for: status)).response
      response.headers["Retry-After"] = retryAfter.map(String.init)
    case .html502:
      response = .html("<html><body><h1>502 Bad Gateway</h1></body></html>", status: 502)
    case .truncatedAnswer:
      response = await handler(request)
      response.fault = .truncate
    case .delay(let duration):
      // A cancelled wait means that the server is stopping: the answer no longer matters.
      try? await clock.sleep(duration)
      response = await handler(request)
    case .lateAnswer(let duration):
      response = await handler(request)
      // As above.
      try? await clock.sleep(duration)
    case nil:
      response = await handler(request)
    }
    response.headers["Date"] = HTTPDate.string(from: clock.now())
    log.answer(entry, status: response.fault == .dropBeforeAnswer ? 0 : response.status)
    return response
  }
}

extension HTTPServerResponse {
  /// No answer: the connection is closed.
  fileprivate static var cut: HTTPServerResponse {
    var response = HTTPServerResponse.empty(status: 500)
    response.fault = .dropBeforeAnswer
    return response
  }
}
