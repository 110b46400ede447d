import COpenSSL
import Glibc

/// TLS on one socket. Belongs to one thread.
final class TLSSession {
  private let pointer: OpaquePointer
  /// Its callbacks are used as long as the session lives.
  private let context: TLSContext
  /// Of a session that is not secure, not yet or no more, nothing may be asked, not even to say goodbye.
  private var isSecure = false

  /// The client's side: the server must prove that it is `host`, a name or an address.
  init(_ context: TLSContext, socket: TCPSocket, host: String) throws(HTTPError) {
    self.context = context
    pointer = try Self.make(context, socket)
    SSL_set_connect_state(pointer)
    let parameters = SSL_get0_param(pointer)
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    let isSet: Int32
    if IPAddress(host) != nil {
      isSet = X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
    } else {
      isSet = SSL_set1_host(pointer, host) & grain_ssl_set_server_name(pointer, host)
    }
    guard isSet == 1 else { throw .tls("\(host) is no name for a certificate") }
  }

  /// The server's side.
  init(_ context: TLSContext, socket: TCPSocket) throws(HTTPError) {
    self.context = context
    pointer = try Self.make(context, socket)
    SSL_set_accept_state(pointer)
  }

  deinit { SSL_free(pointer) }

  private static func make(_ context: TLSContext, _ socket: TCPSocket) throws(HTTPError)
    -> OpaquePointer
  {
    guard let pointer = SSL_new(context.pointer), SSL_set_fd(pointer, socket.descriptor) == 1 else {
      throw .tls(lastReason())
    }
    return pointer
  }

  /// Goes on with the handshake as far as the bytes allow.
  func handshake() -> ByteChannel.Handshake {
    ERR_clear_error()
    let code = SSL_do_handshake(pointer)
    isSecure = code == 1
    guard !isSecure else { return .done }
    switch SSL_get_error(pointer, code) {
    case SSL_ERROR_WANT_READ: return .wantsToRead
    case SSL_ERROR_WANT_WRITE: return .wantsToWrite
    case SSL_ERROR_SSL:
      let verdict = SSL_get_verify_result(pointer)
      if verdict != X509_V_OK {
        return .refused(String(cString: X509_verify_cert_error_string(verdict)))
      }
      return Self.isUnexpectedEnd() ? .lost : .refused(Self.lastReason())
    default: return .lost
    }
  }

  func receive(_ buffer: UnsafeMutableRawBufferPointer) -> TCPSocket.Transfer {
    ERR_clear_error()
    return transfer(SSL_read(pointer, buffer.baseAddress, Int32(clamping: buffer.count)))
  }

  func send(_ bytes: ArraySlice<UInt8>) -> TCPSocket.Transfer {
    ERR_clear_error()
    return transfer(
      bytes.withUnsafeBytes { SSL_write(pointer, $0.baseAddress, Int32(clamping: $0.count)) })
  }

  /// Says goodbye, so that the other side knows nothing was cut off.
  func finishSending() {
    guard isSecure else { return }
    ERR_clear_error()
    SSL_shutdown(pointer)
  }

  private func transfer(_ count: Int32) -> TCPSocket.Transfer {
    guard count <= 0 else { return .bytes(Int(count)) }
    switch SSL_get_error(pointer, count) {
    // Wanting to write while reading happens for a moment only (a key update).
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      // An end without goodbye included: somebody may have cut the answer.
      isSecure = false
      return .lost(Self.lastReason())
    }
  }

  private static func isUnexpectedEnd() -> Bool {
    ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING
  }

  /// OpenSSL's words for the last thing that went wrong on this thread.
  static func lastReason() -> String {
    let code = ERR_peek_last_error()
    defer { ERR_clear_error() }
    guard code != 0, let words = ERR_reason_error_string(code) else {
      return errno == 0 ? "connection closed" : POSIXFailure().description
    }
    return String(cString: words)
  }
}
