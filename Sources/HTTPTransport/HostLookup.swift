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
    guard let interfaces = InterfaceAddress.all() else { return true }
    return interfaces.contains {
      $0.isUp && !$0.address.isLoopback && !$0.address.isLinkLocal
    }
  }

  fileprivate static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
    let length =
      Int32(pointer.pointee.sa_family) == AF_INET6
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    return IPAddress(socketName: UnsafeRawBufferPointer(start: pointer, count: length))
  }
}

/// An address one of the machine's network interfaces has.
struct InterfaceAddress {
  let address: IPAddress
  let isUp: Bool
  /// Whether the interface leads nowhere but back.
  let isOfLoopback: Bool

  /// All there are; `nil` when the system does not say.
  static func all() -> [InterfaceAddress]? {
    var interfaces: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&interfaces) == 0 else { return nil }
    defer { freeifaddrs(interfaces) }
    var found: [InterfaceAddress] = []
    var next = interfaces
    while let entry = next?.pointee {
      if let address = entry.ifa_addr.flatMap(HostLookup.address) {
        found.append(
          InterfaceAddress(
            address: address, isUp: entry.ifa_flags & UInt32(IFF_UP) != 0,
            isOfLoopback: entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0))
      }
      next = entry.ifa_next
    }
    return found
  }
}

extension IPAddress {
  /// Whether only this machine talks to it: a loopback address, or one that somebody has given to the
  /// loopback interface and to no other, to try out there what loopback addresses are not allowed.
  package var isLocalOnly: Bool {
    guard !isLoopback else { return true }
    let interfaces = (InterfaceAddress.all() ?? []).filter { $0.address == self }
    return !interfaces.isEmpty && interfaces.allSatisfy(\.isOfLoopback)
  }
}
