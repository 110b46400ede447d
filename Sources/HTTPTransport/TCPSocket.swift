import Glibc

/// A non-blocking TCP socket by its descriptor. A plain value: whoever holds it last closes it.
package struct TCPSocket: Sendable, Equatable {
  /// What one attempt to move bytes came to.
  package enum Transfer: Equatable, Sendable {
    /// That many bytes moved.
    case bytes(Int)
    /// Nothing moves until the socket is ready.
    case wouldBlock
    /// The other side has finished sending.
    case ended
    /// The connection is broken, with the reason.
    case lost(String)
  }

  /// The descriptor, for `poll(2)`.
  package let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// A socket of the address's family.
  ///
  /// - Throws: `POSIXFailure` when the system has none left.
  init(for address: IPAddress) throws(POSIXFailure) {
    let family = address.bytes.count == 4 ? AF_INET : AF_INET6
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(family, flags, 0)
    guard descriptor >= 0 else { throw POSIXFailure() }
  }

  /// Starts connecting; the socket becomes writable when that has succeeded or failed.
  static func connect(to address: IPAddress, port: Int) throws(POSIXFailure) -> TCPSocket {
    let socket = try TCPSocket(for: address)
    socket.set(Int32(IPPROTO_TCP), TCP_NODELAY)
    let code = SocketName(address, port: port).withPointer {
      Glibc.connect(socket.descriptor, $0, $1)
    }
    guard code == 0 || errno == EINPROGRESS else {
      let failure = POSIXFailure()
      socket.close()
      throw failure
    }
    return socket
  }

  /// Listens on an address; port 0 lets the system choose.
  package static func listen(
    on address: IPAddress, port: Int
  ) throws(POSIXFailure) -> (socket: TCPSocket, port: Int) {
    let socket = try TCPSocket(for: address)
    // A port whose last connections still linger may be taken again at once.
    socket.set(SOL_SOCKET, SO_REUSEADDR)
    if address.bytes.count == 16 { socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    let code = SocketName(address, port: port).withPointer { bind(socket.descriptor, $0, $1) }
    guard code == 0, Glibc.listen(socket.descriptor, 1024) == 0,
      let name = SocketName.filled({ getsockname(socket.descriptor, $0, $1) })
    else {
      let failure = POSIXFailure()
      socket.close()
      throw failure
    }
    return (socket, name.port)
  }

  /// The next waiting connection and the name of its other side; `nil` without one.
  package func accept() -> (socket: TCPSocket, peer: String)? {
    var accepted: Int32 = -1
    let name = SocketName.filled { pointer, length in
      accepted = Glibc.accept(descriptor, pointer, length)
      return accepted
    }
    guard accepted >= 0 else { return nil }
    let socket = TCPSocket(descriptor: accepted)
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    socket.set(Int32(IPPROTO_TCP), TCP_NODELAY)
    return (socket, name?.description ?? "unknown")
  }

  /// The error the socket has met since it was last asked, 0 for none.
  var pendingError: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    Self.transfer(recv(descriptor, buffer.baseAddress, buffer.count, 0), ofNothing: .ended)
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

  /// Gives the descriptor back.
  package func close() {
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
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .lost(POSIXFailure().description)
  }

  private func set(_ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// The error number a system call has left.
package struct POSIXFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number.
  package let code: Int32

  /// The number just left by a call.
  init() {
    code = errno
  }

  /// The system's words for it.
  package var description: String {
    String(cString: strerror(code))
  }
}
