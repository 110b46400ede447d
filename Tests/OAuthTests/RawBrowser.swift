import Glibc
import GrainTestSupport

/// A browser down to its bare socket, for addresses URLSession cannot reach: on Linux it refuses IPv6
/// literals (code -1000).
enum RawBrowser {
  /// Sends a request to a port of `::1` and reads until the server closes.
  static func get(port: Int, target: String) async -> String {
    await onThread { answer(port, target) }
  }

  private static func answer(_ port: Int, _ target: String) -> String {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = in_port_t(port).bigEndian
    address.sin6_addr = in6addr_loopback
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
      }
    }
    guard isConnected else { return "" }
    let request = Array("GET \(target) HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n".utf8)
    _ = write(descriptor, request, request.count)
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
