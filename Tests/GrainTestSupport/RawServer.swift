package import Foundation
import Glibc

/// A server on loopback that answers every connection's first request with fixed bytes: for answers
/// that no proper server gives.
package final class RawServer: Sendable {
  /// What happens after the bytes.
  package enum Ending: Sendable {
    /// The connection is closed.
    case close
    /// The connection is reset.
    case reset
    /// The connection is kept until the client closes it.
    case hold
  }

  private struct State: Sendable {
    var received: [String] = []
    var ended = 0
  }

  /// The port on 127.0.0.1.
  package let port: Int
  private let listener: Int32
  private let state = Watched(State())

  /// Listens at once. The first request is read to the end of its header; then, or without waiting
  /// for one if `isEager`, the bytes are sent, in pieces if there are several.
  package init(_ pieces: [UInt8]..., then ending: Ending = .close, isEager: Bool = false) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    self.listener = listener
    port = Int(UInt16(bigEndian: name.sin_port))
    Thread.detachNewThread { [self, pieces] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // Closed by the one who uses it: elsewhere the number could be another server's by now.
          close(listener)
          return
        }
        Thread.detachNewThread { [self] in
          serve(connection, pieces, ending, isEager: isEager)
        }
      }
    }
  }

  /// A URL of this server.
  package func url(_ path: String = "/") throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    return url
  }

  /// The bytes of each connection so far, as text.
  package var received: [String] { state.value.received }

  /// Returns once a client has connected, or the task is cancelled.
  package func connected() async {
    await state.wait { !$0.received.isEmpty }
  }

  /// Returns once that many connections have ended, or the task is cancelled.
  package func connectionsEnded(_ count: Int) async {
    await state.wait { $0.ended >= count }
  }

  /// Stops listening; open connections live on.
  package func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve(_ connection: Int32, _ pieces: [[UInt8]], _ ending: Ending, isEager: Bool) {
    let index = state.change { state in
      state.received.append("")
      return state.received.count - 1
    }
    var buffer = [UInt8](repeating: 0, count: 65536)
    func readMore() -> Bool {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      state.change { $0.received[index] += String(decoding: buffer[..<count], as: UTF8.self) }
      return true
    }
    if !isEager {
      while !state.value.received[index].contains("\r\n\r\n") {
        guard readMore() else { break }
      }
    }
    for piece in pieces {
      var rest = piece[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
    }
    switch ending {
    case .close:
      shutdown(connection, Int32(SHUT_WR))
      while readMore() {}
    case .reset:
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    case .hold:
      while readMore() {}
    }
    close(connection)
    state.change { $0.ended += 1 }
  }
}
