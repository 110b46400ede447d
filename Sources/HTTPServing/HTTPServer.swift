import Foundation

/// A small HTTP/1.1 server on a loopback address: the loopback receiver of a sign-in, and the
/// sandbox's servers.
///
/// Requests of one connection are answered in turn, those of different connections at the same
/// time. It sends no `Date`: it has no wall clock, a handler that has one sets the field.
package final class HTTPServer: Sendable {
  /// The port it listens on.
  package let port: Int
  private let mailbox: Mailbox

  private init(port: Int, mailbox: Mailbox) {
    self.port = port
    self.mailbox = mailbox
  }

  deinit { mailbox.post(.stop) }

  /// Starts a server; when this returns, connections are accepted.
  ///
  /// - Parameters:
  ///   - host: an IPv4 or IPv6 loopback address; anything else is refused.
  ///   - port: 0 lets the system choose one.
  ///   - limits: what is taken from the other side.
  ///   - handler: answers a request; its task is cancelled when the server stops.
  /// - Returns: the server; it stops when the last reference goes.
  /// - Throws: `HTTPServerError.portInUse` if another program has the port, the other cases as named.
  package static func start(
    host: String = "127.0.0.1", port: Int = 0, limits: HTTPServerLimits = .init(),
    handler: @escaping @Sendable (HTTPServerRequest) async -> HTTPServerResponse
  ) async throws(HTTPServerError) -> HTTPServer {
    let mailbox = try Mailbox()
    let bound: (socket: Socket, port: Int)
    do throws(HTTPServerError) {
      bound = try Socket.listen(host: host, port: port)
    } catch {
      mailbox.close()
      throw error
    }
    let thread = Thread {
      var loop = ServerLoop(
        listener: bound.socket, mailbox: mailbox, limits: limits, handler: handler)
      loop.run()
    }
    thread.name = "http-server"
    thread.start()
    return HTTPServer(port: bound.port, mailbox: mailbox)
  }

  /// How many connections are open.
  package var connectionCount: Int { mailbox.connections }

  /// Closes the port and every connection at once, answers under way included; returns when that
  /// is done. A second call does nothing.
  package func stop() async {
    mailbox.post(.stop)
    await mailbox.closed()
  }

  /// Closes the port at once, lets requests under way be answered, then closes everything; returns
  /// when that is done, at the latest after the given time.
  package func finish(within time: Duration = .seconds(2)) async {
    mailbox.post(.finish(within: time))
    await mailbox.closed()
  }
}
