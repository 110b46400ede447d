import Foundation
import Synchronization
package import SystemClients

extension HTTPClient {
  /// The real network: HTTP/1.1, with TLS 1.2 or 1.3.
  ///
  /// - Parameters:
  ///   - policy: which hosts may be contacted; checked before anything is sent.
  ///   - userAgent: sent with every request that brings none of its own.
  ///   - clock: measures deadlines and stamps responses.
  /// - Returns: a client whose connections live as long as its copies.
  package static func live(
    _ policy: NetworkPolicy, userAgent: String, clock: SystemClock
  ) -> HTTPClient {
    let transport = SocketTransport(policy, userAgent: userAgent, clock: clock)
    return HTTPClient { request, progress throws(HTTPError) in
      try await transport.send(request, progress)
    }
  }
}

/// Sends requests from a thread of its own, which ends with this object.
///
/// Not over `URLSession`: FoundationNetworking of Swift 6.3 ends the whole process when an answer is
/// cut off inside its header or carries trailers (FB-F5), waits for ever after a 401 that offers
/// `Basic` (FB-F1), cannot reach an IPv6 address, and does not show which address it connects to.
final class SocketTransport: Sendable {
  private let policy: NetworkPolicy
  private let userAgent: String
  private let clock: SystemClock
  private let proxies: ProxySettings
  private let addressBook: AddressBook
  /// `nil` if the process had no descriptors left.
  private let mailbox: LoopMailbox<ClientLoop.Letter>?
  private let lastID = Atomic(0)

  init(
    _ policy: NetworkPolicy, userAgent: String, clock: SystemClock, lookup: HostLookup = .system,
    proxies: ProxySettings = ProxySettings(environment: ProcessInfo.processInfo.environment)
  ) {
    self.policy = policy
    self.userAgent = userAgent
    self.clock = clock
    self.proxies = proxies
    addressBook = AddressBook(lookup: lookup, clock: clock)
    do throws(POSIXFailure) {
      let mailbox = try LoopMailbox<ClientLoop.Letter>()
      self.mailbox = mailbox
      LoopThread.start("http-client") { [trustAnchors = policy.trustAnchors] in
        var loop = ClientLoop(mailbox: mailbox, trustAnchors: trustAnchors)
        loop.run()
      }
    } catch {
      mailbox = nil
    }
  }

  deinit { mailbox?.post(.stop) }

  func send(
    _ request: HTTPRequest, _ progress: (@Sendable (Int64) -> Void)?
  ) async throws(HTTPError) -> HTTPResponse {
    let route = try policy.route(for: request.url)
    let body = try BodySource.open(request.body)
    let head = try RequestEncoder.head(
      request, host: route.hostHeader, userAgent: userAgent, bodyLength: body?.length)
    let exchange = Exchange(progress: progress)
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let key = ClientJob.Key(
      host: route.host, port: route.port, secureName: route.secureName,
      proxy: route.secureName == nil ? nil : proxies.proxy(for: route.host))
    let deadline = Task { [clock, mailbox] in
      try await clock.sleep(request.deadline)
      exchange.settle(.failure(.timeout))
      mailbox?.post(.abandon(id))
    }
    defer { deadline.cancel() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard exchange.begin(continuation) else { return }
        findAddresses(route, key.proxy) { [mailbox, clock] answer in
          switch answer {
          case .failure(let error): exchange.settle(.failure(error))
          case .success(let addresses):
            let job = ClientJob(
              id: id, key: key, addresses: addresses, method: request.method,
              isSigned: request.headers["DPoP"] != nil, head: head, body: body,
              bodyLimit: request.maximumBodyBytes, exchange: exchange, clock: clock)
            if mailbox?.post(.start(job)) != true {
              exchange.settle(.failure(.cannotConnect(route.host)))
            }
          }
        }
      }
    } onCancel: {
      exchange.settle(.failure(.cancelled))
      mailbox?.post(.abandon(id))
    }
    return try outcome.get()
  }

  /// The addresses to connect to: the host's, checked against the policy, or the proxy's.
  private func findAddresses(
    _ route: Route, _ proxy: Proxy?, then report: @escaping @Sendable (AddressBook.Answer) -> Void
  ) {
    addressBook.find(route.host) { [policy, addressBook] answer in
      // One bad address is enough: who mixes them means no good.
      if case .success(let addresses) = answer, route.needsAddressCheck,
        !addresses.allSatisfy({ policy.allows($0) })
      {
        return report(.failure(.addressRefused(route.host)))
      }
      // Behind a proxy only the proxy may know the name.
      guard let proxy else { return report(answer) }
      addressBook.find(proxy.host, then: report)
    }
  }
}
