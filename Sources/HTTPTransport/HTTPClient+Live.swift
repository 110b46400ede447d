import Foundation
import FoundationNetworking
package import SystemClients

extension HTTPClient {
  /// The real network, by one `URLSession`.
  ///
  /// - Parameters:
  ///   - policy: which hosts may be contacted; checked before anything is sent.
  ///   - userAgent: sent with every request that brings none of its own.
  ///   - clock: measures deadlines and stamps responses.
  /// - Returns: a client whose session lives as long as the client's copies.
  package static func live(
    _ policy: NetworkPolicy, userAgent: String, clock: SystemClock
  ) -> HTTPClient {
    let transport = SessionTransport(policy, userAgent: userAgent, clock: clock)
    return HTTPClient { request, progress throws(HTTPError) in
      try await transport.send(request, progress)
    }
  }
}

/// Sends requests through one session, which ends with this object.
final class SessionTransport: Sendable {
  private let policy: NetworkPolicy
  private let userAgent: String
  private let clock: SystemClock
  private let addressBook: AddressBook
  private let delegate = SessionDelegate()
  private let session: URLSession

  init(
    _ policy: NetworkPolicy, userAgent: String, clock: SystemClock,
    lookup: HostLookup = .system, isBehindProxy: Bool = ProxySettings.isProxyConfigured
  ) {
    _ = ProxySettings.exemptLoopback
    self.policy = policy
    self.userAgent = userAgent
    self.clock = clock
    addressBook = AddressBook(
      policy: policy, lookup: lookup, isBehindProxy: isBehindProxy, clock: clock)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
    configuration.httpMaximumConnectionsPerHost = 8
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// How many of the session's tasks have not ended.
  var openTasks: Int { delegate.count }

  func send(
    _ request: HTTPRequest, _ progress: (@Sendable (Int64) -> Void)?
  ) async throws(HTTPError) -> HTTPResponse {
    let route = try policy.route(for: request.url)
    let message = try message(request, route)
    let exchange = Exchange(
      host: route.host, limit: request.maximumBodyBytes, clock: clock, progress: progress)
    // Ours, because none of the session's own time limits ends the hang of FB-F1.
    let deadline = Task { [clock] in
      try await clock.sleep(request.deadline)
      exchange.settle(.failure(.timeout))
    }
    defer { deadline.cancel() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard exchange.begin(continuation) else { return }
        guard route.needsAddressCheck else { return start(exchange, message, request.body) }
        addressBook.check(route.host) { [self] verdict in
          switch verdict {
          case .success: start(exchange, message, request.body)
          case .failure(let error): exchange.settle(.failure(error))
          }
        }
      }
    } onCancel: {
      exchange.settle(.failure(.cancelled))
    }
    return try outcome.get()
  }

  private func message(
    _ request: HTTPRequest, _ route: Route
  ) throws(HTTPError) -> URLRequest {
    var message = URLRequest(url: route.url)
    message.httpMethod = request.method
    message.setValue(userAgent, forHTTPHeaderField: "User-Agent")
    for field in request.headers.fields {
      message.addValue(field.value, forHTTPHeaderField: field.name)
    }
    if let host = route.hostHeader { message.setValue(host, forHTTPHeaderField: "Host") }
    // Only a second line behind our deadline: it must not strike first.
    message.timeoutInterval = request.deadline / .seconds(1) + 30
    if case .file(let path) = request.body {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue, FileManager.default.isReadableFile(atPath: path)
      else { throw .fileUnreadable(path) }
    }
    return message
  }

  private func start(_ exchange: Exchange, _ message: URLRequest, _ body: HTTPBody) {
    let task: URLSessionTask
    switch body {
    case .none: task = session.dataTask(with: message)
    case .bytes(let bytes): task = session.uploadTask(with: message, from: Data(bytes))
    case .file(let path):
      task = session.uploadTask(with: message, fromFile: URL(filePath: path))
    }
    delegate.register(exchange, for: task)
    guard exchange.attach(task) else {
      delegate.forget(task)
      task.cancel()
      return
    }
    task.resume()
  }
}
