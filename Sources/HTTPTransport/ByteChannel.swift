/// A connected socket, with or without TLS. Belongs to one thread.
package struct ByteChannel {
  /// How far the two sides have come in agreeing on keys.
  package enum Handshake: Equatable, Sendable {
    /// Done, or not needed: bytes may be sent.
    case done
    /// Goes on when something can be read.
    case wantsToRead
    /// Goes on when something can be written.
    case wantsToWrite
    /// Refused, with the reason: the certificate, the version, or no TLS at all.
    case refused(String)
    /// The connection broke before it was secure.
    case lost
  }

  /// The socket underneath.
  package let socket: TCPSocket
  private let session: TLSSession?

  /// Plain bytes.
  package init(_ socket: TCPSocket) {
    self.socket = socket
    session = nil
  }

  /// The client's side of TLS; the server must prove that it is `host`.
  init(_ socket: TCPSocket, _ context: TLSContext, host: String) throws(HTTPError) {
    self.socket = socket
    session = try TLSSession(context, socket: socket, host: host)
  }

  /// The server's side of TLS.
  package init(_ socket: TCPSocket, _ context: TLSContext) throws(HTTPError) {
    self.socket = socket
    session = try TLSSession(context, socket: socket)
  }

  /// Whether there is a handshake to come, or it has been.
  package var speaksTLS: Bool { session != nil }

  /// Goes on with the handshake; done at once without TLS.
  package func handshake() -> Handshake {
    session?.handshake() ?? .done
  }

  /// Reads what is there, once the handshake is done.
  package func receive(_ buffer: UnsafeMutableRawBufferPointer) -> TCPSocket.Transfer {
    session?.receive(buffer) ?? socket.receive(buffer)
  }

  /// Sends as much as goes.
  package func send(_ bytes: ArraySlice<UInt8>) -> TCPSocket.Transfer {
    session?.send(bytes) ?? socket.send(bytes)
  }

  /// Says that nothing more will be sent; with TLS with a proper goodbye.
  package func finishSending() {
    session?.finishSending()
    socket.finishSending()
  }

  /// Closes at once.
  package func close() {
    session?.finishSending()
    socket.close()
  }

  /// Closes so that the other side sees a reset.
  package func reset() {
    socket.reset()
  }
}
