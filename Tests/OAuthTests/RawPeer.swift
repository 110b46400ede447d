import Foundation
import Glibc

/// A connection that says exactly what a test wants; what blocks runs on threads of its own.
final class RawPeer: Sendable {
  private let descriptor: Int32

  /// Connects.
  init(_ host: String, _ port: Int) throws {
    let isSix = host.contains(":")
    descriptor = socket(isSix ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = in_port_t(port).bigEndian
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = in_port_t(port).bigEndian
    _ = isSix ? inet_pton(AF_INET6, host, &six.sin6_addr) : inet_pton(AF_INET, host, &four.sin_addr)
    let code = isSix ? Self.connect(descriptor, &six) : Self.connect(descriptor, &four)
    // `deinit` closes it, also now: closed twice, the number may be somebody else's by then.
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    let size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, size)
      }
    }
  }

  /// An address of this machine that others can reach.
  static let networkAddress: String? = {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var entry = list
    while let one = entry?.pointee {
      entry = one.ifa_next
      guard let address = one.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else {
        continue
      }
      var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
      let found = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        var number = pointer.pointee.sin_addr
        return inet_ntop(AF_INET, &number, &text, socklen_t(text.count)) != nil
      }
      let name = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if found, !name.hasPrefix("127.") { return name }
    }
    return nil
  }()

  /// Sends everything.
  func send(_ text: String) async throws {
    try await blocking { [descriptor] in
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// What arrives until the other side closes.
  func receive() async throws -> String {
    try await blocking { [descriptor] in
      var received: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return String(decoding: received, as: UTF8.self) }
        received += buffer[..<count]
      }
    }
  }

  /// Sends a request and returns the answer.
  func say(_ request: String) async throws -> String {
    try await send(request)
    return try await receive()
  }

  private func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
