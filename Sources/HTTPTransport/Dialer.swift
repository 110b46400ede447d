import Glibc

/// Connects to the first of several addresses that answers: the next one is tried when one fails,
/// or has not answered within a quarter of a second (after RFC 8305).
struct Dialer {
  enum Progress {
    case pending
    case connected(TCPSocket)
    case failed
  }

  private static let patience = Duration.milliseconds(250)

  private var waiting: ArraySlice<IPAddress>
  private let port: Int
  private(set) var sockets: [TCPSocket] = []
  /// When the next address is tried.
  private(set) var nextAttempt: ContinuousClock.Instant?

  init(_ addresses: [IPAddress], port: Int, now: ContinuousClock.Instant) {
    waiting = addresses[...]
    self.port = port
    tryNext(now: now)
  }

  /// Looks at the sockets that have become ready, and at the time.
  mutating func advance(
    ready: (TCPSocket) -> Bool, now: ContinuousClock.Instant
  ) -> Progress {
    for socket in sockets where ready(socket) {
      sockets.removeAll { $0 == socket }
      guard socket.pendingError != 0 else {
        close()
        return .connected(socket)
      }
      socket.close()
      if sockets.isEmpty { tryNext(now: now) }
    }
    if let nextAttempt, nextAttempt <= now { tryNext(now: now) }
    return sockets.isEmpty ? .failed : .pending
  }

  /// Gives up.
  mutating func close() {
    for socket in sockets { socket.close() }
    sockets = []
    waiting = []
    nextAttempt = nil
  }

  private mutating func tryNext(now: ContinuousClock.Instant) {
    while let address = waiting.popFirst() {
      do throws(POSIXFailure) {
        sockets.append(try TCPSocket.connect(to: address, port: port))
        break
      } catch {
        continue  // No route to that family, for one: the next address may do.
      }
    }
    if !waiting.isEmpty {
      nextAttempt = now + Self.patience
    } else {
      // Refused on the spot, as without any network: the failure is found at the next turn.
      nextAttempt = sockets.isEmpty ? now : nil
    }
  }
}
