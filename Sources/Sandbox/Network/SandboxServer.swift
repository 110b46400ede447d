import Foundation
import HTTPServing
import HTTPTransport
import SystemClients

/// One origin of the sandbox, its log and its faults.
///
/// It is bound first and given its handler later, because a server must know its own address.
final class SandboxServer: Sendable {
  typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

  let name: String
  /// How everybody addresses it, without a trailing slash.
  let url: URL
  private let front: Front

  /// Takes its place behind a socket that leads to `front`.
  init(name: String, url: URL, front: Front) {
    self.name = name
    self.url = url
    self.front = front
    front.setURL(url)
  }

  /// Opens the doors; until then every request is answered 503.
  func serve(_ handler: @escaping Handler) { front.setHandler(handler) }

  /// Takes requests for the sandbox itself, apart from the server's own.
  func setControl(_ control: ControlDoor) { front.setControl(control) }
}

extension SandboxServer {
  /// What stands between the socket and a server's own code.
  final class Front: Sendable {
    private struct State {
      var url: URL?
      var handler: Handler?
      var control: ControlDoor?
    }

    private let name: String
    private let log: RequestLog
    private let faults: SandboxFaults
    private let clock: SystemClock
    private let state = Locked(State())

    init(name: String, log: RequestLog, faults: SandboxFaults, clock: SystemClock) {
      self.name = name
      self.log = log
      self.faults = faults
      self.clock = clock
    }

    fileprivate func setURL(_ url: URL) { state.withLock { $0.url = url } }

    fileprivate func setHandler(_ handler: @escaping Handler) {
      state.withLock { $0.handler = handler }
    }

    fileprivate func setControl(_ control: ControlDoor) {
      state.withLock { $0.control = control }
    }

    func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
      if request.path.hasPrefix(ControlDoor.base), let control = state.withLock({ $0.control }) {
        return await control.answer(request)
      }
      let (url, handler) = state.withLock { ($0.url, $0.handler) }
      guard let url, let handler else { return .empty(status: 503) }
      let entry = log.arrival(request, at: name, url: url)
      let fault = await faults.take(request, at: name)
      var response: HTTPServerResponse
      switch fault {
      case .dropBeforeProcessing:
        response = .cut
      case .lostAnswer:
        _ = await handler(request)
        response = .cut
      case .status(let status, let retryAfter):
        response =
          XRPCRefusal(status, "SandboxFault", HTTPStatusReason.phrase(for: status)).response
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
}

extension HTTPServerResponse {
  /// No answer: the connection is closed.
  fileprivate static var cut: HTTPServerResponse {
    var response = HTTPServerResponse.empty(status: 500)
    response.fault = .dropBeforeAnswer
    return response
  }
}
