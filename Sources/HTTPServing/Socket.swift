import Glibc
import HTTPTransport

/// A non-blocking TCP socket by its descriptor. A plain value: whoever holds it last closes it.
struct Socket: Sendable, Equatable {
  enum Transfer: Equatable {
    case bytes(Int)
    case wouldBlock
    case closed
  }

  let descriptor: Int32

  /// Listens on a loopback address; port 0 lets the system choose.
  static func listen(
    host: String, port: Int
  ) throws(HTTPServerError) -> (socket: Socket, port: Int) {
    guard let address = IPAddress(host), address.isLoopback, let wanted = UInt16(exactly: port)
    else { throw .notLoopback(host) }
    let family = address.bytes.count == 4 ? AF_INET : AF_INET6
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, flags, 0)
    guard descriptor >= 0 else { throw .cannotListen(errno: errno) }
    let listening = Socket(descriptor: descriptor)
    // A port whose last connections still linger may be taken again at once.
    listening.set(SOL_SOCKET, SO_REUSEADDR)
    if family == AF_INET6 { listening.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    guard listening.bind(address, port: wanted), Glibc.listen(descriptor, 1024) == 0,
      let port = listening.localPort
    else {
      let code = errno
      listening.close()
      throw code == EADDRINUSE ? .portInUse(port) : .cannotListen(errno: code)
    }
    return (listening, port)
  }

  /// The next waiting connection and the name of its other side; `nil` without one.
  func accept() -> (socket: Socket, peer: String)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.accept(descriptor, $0, &length)
      }
    }
    guard accepted >= 0 else { return nil }
    let socket = Socket(descriptor: accepted)
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    socket.set(Int32(IPPROTO_TCP), TCP_NODELAY)
    return (socket, Self.name(of: storage))
  }

  func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    Self.transfer(recv(descriptor, buffer.baseAddress, buffer.count, 0), ofNothing: .closed)
  }

  func send(_ bytes: ArraySlice<UInt8>) -> Transfer {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return Self.transfer(count, ofNothing: .wouldBlock)
  }

  /// Says that nothing more will be sent.
  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func close() {
    Glibc.close(descriptor)
  }

  /// Closes so that the other side sees a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  private static func transfer(_ count: Int, ofNothing nothing: Transfer) -> Transfer {
    if count > 0 { return .bytes(count) }
    if count == 0 { return nothing }
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .closed
  }

  private func set(_ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private func bind(_ address: IPAddress, port: UInt16) -> Bool {
    if address.bytes.count == 4 {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address.bytes) }
      return bind(&name, MemoryLayout<sockaddr_in>.size)
    }
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: address.bytes) }
    return bind(&name, MemoryLayout<sockaddr_in6>.size)
  }

  private func bind<Name>(_ name: inout Name, _ length: Int) -> Bool {
    withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(length)) == 0
      }
    }
  }

  private var localPort: Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    return code == 0 ? Self.addressAndPort(of: storage)?.port : nil
  }

  private static func name(of storage: sockaddr_storage) -> String {
    guard let (address, port) = addressAndPort(of: storage) else { return "unknown" }
    return address.bytes.count == 4 ? "\(address):\(port)" : "[\(address)]:\(port)"
  }

  private static func addressAndPort(
    of storage: sockaddr_storage
  ) -> (address: IPAddress, port: Int)? {
    withUnsafeBytes(of: storage) { raw in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let name = raw.loadUnaligned(as: sockaddr_in.self)
        let bytes = withUnsafeBytes(of: name.sin_addr) { Array($0) }
        return (IPAddress(bytes: bytes), Int(UInt16(bigEndian: name.sin_port)))
      case AF_INET6:
        let name = raw.loadUnaligned(as: sockaddr_in6.self)
        let bytes = withUnsafeBytes(of: name.sin6_addr) { Array($0) }
        return (IPAddress(bytes: bytes), Int(UInt16(bigEndian: name.sin6_port)))
      default: return nil
      }
    }
  }
}
