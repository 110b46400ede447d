import Glibc
import HTTPTransport
import Synchronization

/// A small HTTP/1.1 server on a loopback address: the loopback receiver of a sign-in, and the
/// sandbox's servers.
///
/// Requests of one connection are answered in turn, those of different connections at the same
/// time. It sends no `Date`: it has no wall clock, a handler that has one sets the field.
package final class HTTPServer: Sendable {
  /// The port it listens on.
  package let port: Int
  private let mailbox: LoopMailbox<ServerLoop.Letter>
  private let status: ServerStatus

  private init(port: Int, mailbox: LoopMailbox<ServerLoop.Letter>, status: ServerStatus) {
    self.port = port
    self.mailbox = mailbox
    self.status = status
  }

  deinit { mailbox.post(.stop) }

  /// Starts a server; when this returns, connections are accepted.
  ///
  /// - Parameters:
  ///   - host: an IPv4 or IPv6 loopback address, or another one the machine has on its loopback
  ///     interface; anything else is refused.
  ///   - port: 0 lets the system choose one.
  ///   - limits: what is taken from the other side.
  ///   - tls: what the server proves itself with; without it plain HTTP is spoken.
  ///   - handler: answers a request; its task is cancelled when the server stops.
  /// - Returns: the server; it stops when the last reference goes.
  /// - Throws: `HTTPServerError.portInUse` if another program has the port, the other cases as named.
  package static func start(
    host: String = "127.0.0.1", port: Int = 0, limits: HTTPServerLimits = .init(),
    tls: ServerIdentity? = nil,
    handler: @escaping @Sendable (HTTPServerRequest) async -> HTTPServerResponse
  ) async throws(HTTPServerError) -> HTTPServer {
    guard let address = IPAddress(host), address.isLocalOnly, (0...65535).contains(port) else {
      throw .notLoopback(host)
    }
    let bound: (socket: TCPSocket, port: Int)
    do throws(POSIXFailure) {
      bound = try TCPSocket.listen(on: address, port: port)
    } catch {
      throw error.code == EADDRINUSE ? .portInUse(port) : .cannotListen(errno: error.code)
    }
    let mailbox: LoopMailbox<ServerLoop.Letter>
    do throws(POSIXFailure) {
      mailbox = try LoopMailbox()
    } catch {
      bound.socket.close()
      throw .cannotListen(errno: error.code)
    }
    let status = ServerStatus()
    LoopThread.start("http-server") {
      var loop = ServerLoop(
        listener: bound.socket, tls: tls?.context, mailbox: mailbox, status: status, limits: limits,
        handler: handler)
      loop.run()
    }
    return HTTPServer(port: bound.port, mailbox: mailbox, status: status)
  }

  /// How many connections are open.
  package var connectionCount: Int { status.connections }

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

/// What a server's loop tells of itself.
final class ServerStatus: Sendable {
  private let count = Atomic(0)

  /// How many connections are open.
  var connections: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }
}
