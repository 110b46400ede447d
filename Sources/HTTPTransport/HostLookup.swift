import Foundation
import Glibc

/// Finds the addresses of a host by its name; blocks its thread.
struct HostLookup: Sendable {
  var addresses: @Sendable (String) throws(HTTPError) -> [IPAddress]

  /// The system's resolver: `/etc/hosts`, DNS, whatever `nsswitch.conf` says.
  static let system = HostLookup { host throws(HTTPError) in
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    defer { freeaddrinfo(found) }
    switch code {
    case 0: break
    case EAI_AGAIN, EAI_SYSTEM, EAI_FAIL:
      throw hasNetwork() ? .cannotConnect(host) : .offline
    default: throw .cannotFindHost(host)
    }
    var addresses: [IPAddress] = []
    var next = found
    while let entry = next?.pointee {
      if let address = entry.ai_addr.flatMap(address) { addresses.append(address) }
      next = entry.ai_next
    }
    return addresses
  }

  /// Whether any interface but loopback is up and has an address of more than its own link.
  static func hasNetwork() -> Bool {
    var interfaces: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&interfaces) == 0 else { return true }
    defer { freeifaddrs(interfaces) }
    var next = interfaces
    while let entry = next?.pointee {
      let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
      if isUp, let address = entry.ifa_addr.flatMap(address), !address.isLoopback,
        !address.isLinkLocal
      {
        return true
      }
      next = entry.ifa_next
    }
    return false
  }

  private static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
    let length =
      Int32(pointer.pointee.sa_family) == AF_INET6
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    return IPAddress(socketName: UnsafeRawBufferPointer(start: pointer, count: length))
  }
}
