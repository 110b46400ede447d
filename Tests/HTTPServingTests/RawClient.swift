import Foundation
import Glibc
import GrainTestSupport

/// A connection of a client that says exactly what the test wants.
///
/// It blocks, so it runs on threads of its own: the server's handlers need those of the pool.
final class RawClient: Sendable {
  private let descriptor: Int32

  init(port: Int) async throws {
    descriptor = try await onThread {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = UInt16(port).bigEndian
      name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let code = withUnsafePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard code == 0 else {
        let code = errno
        close(descriptor)
        throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
      }
      return descriptor
    }
  }

  deinit { close(descriptor) }

  /// Sends everything, or as much as the server takes before it closes.
  func send(_ text: String) async throws {
    try await send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) async throws {
    await onThread { [descriptor] in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// What arrives until the text ends so, or the server closes; `nil` for a reset.
  func receive(until end: String? = nil) async throws -> String? {
    await onThread { [descriptor] in
      var received: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { return nil }
        received += buffer[..<count]
        if count == 0
          || (end.map { received.suffix($0.utf8.count).elementsEqual($0.utf8) } ?? false)
        {
          return String(decoding: received, as: UTF8.self)
        }
      }
    }
  }
}
