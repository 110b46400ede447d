import Glibc

/// An address and a port in the form the socket calls take.
struct SocketName: CustomStringConvertible {
  private var storage = sockaddr_storage()
  private var length: socklen_t

  init(_ address: IPAddress, port: Int) {
    let port = UInt16(truncatingIfNeeded: port).bigEndian
    if address.bytes.count == 4 {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port
      withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address.bytes) }
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in.self) }
    } else {
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port
      withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: address.bytes) }
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in6.self) }
    }
  }

  /// The name a call such as `accept(2)` writes; `nil` if the call fails or writes another family.
  static func filled(
    _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> SocketName? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
    }
    let address = withUnsafeBytes(of: storage) { IPAddress(socketName: $0) }
    guard code >= 0, let address else { return nil }
    var name = SocketName(address, port: 0)
    name.storage = storage
    return name
  }

  func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// The port in the machine's order.
  var port: Int {
    withUnsafeBytes(of: storage) { raw in
      // Both families have it in the same place.
      Int(UInt16(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_port))
    }
  }

  var description: String {
    guard let address = withUnsafeBytes(of: storage, { IPAddress(socketName: $0) }) else {
      return "unknown"
    }
    return address.bytes.count == 4 ? "\(address):\(port)" : "[\(address)]:\(port)"
  }
}

extension IPAddress {
  /// The address in a `sockaddr` of either family; `nil` for any other.
  init?(socketName raw: UnsafeRawBufferPointer) {
    switch Int32(raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      let name = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(bytes: withUnsafeBytes(of: name.sin_addr) { Array($0) })
    case AF_INET6:
      let name = raw.loadUnaligned(as: sockaddr_in6.self)
      self.init(bytes: withUnsafeBytes(of: name.sin6_addr) { Array($0) })
    default: return nil
    }
  }
}
