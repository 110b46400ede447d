import Foundation
import Glibc

@testable import HTTPTransport

/// A proxy that makes one tunnel after another, all to the same port of this machine.
final class TunnelProxy: Sendable {
  let port: Int

  init(to target: Int) throws {
    let loopback = IPAddress(bytes: [127, 0, 0, 1])
    let (listener, port) = try TCPSocket.listen(on: loopback, port: 0)
    self.port = port
    Thread.detachNewThread {
      while true {
        Self.wait(listener, POLLIN)
        guard let (client, _) = listener.accept() else { continue }
        Thread.detachNewThread {
          // Whatever breaks, breaks the tunnel: the test sees that.
          guard let server = try? TCPSocket.connect(to: loopback, port: target) else { return }
          Self.wait(server, POLLOUT)
          Self.copy(client, until: "\r\n\r\n")
          _ = client.send(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)[...])
          Thread.detachNewThread { Self.copy(server, to: client) }
          Self.copy(client, to: server)
        }
      }
    }
  }

  private static func wait(_ socket: TCPSocket, _ events: Int32) {
    var event = pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
    poll(&event, 1, -1)
  }

  /// Reads to the end of the text, or copies everything until the connection ends.
  private static func copy(_ from: TCPSocket, to: TCPSocket? = nil, until end: String? = nil) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { buffer.deallocate() }
    var seen: [UInt8] = []
    while true {
      switch from.receive(buffer) {
      case .wouldBlock: wait(from, POLLIN)
      case .ended, .lost:
        to?.finishSending()
        return
      case .bytes:
        if let to {
          wait(to, POLLOUT)
          _ = to.send([buffer[0]])
        }
        seen.append(buffer[0])
        if let end, seen.suffix(end.utf8.count).elementsEqual(end.utf8) { return }
      }
    }
  }
}
