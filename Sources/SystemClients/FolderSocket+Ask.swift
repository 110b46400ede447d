import Glibc

extension FolderSocket {
  /// Why nobody has answered.
  package enum AskFailure: Error, Equatable, Sendable {
    /// There is no socket, or its process is dead.
    case nobody
    /// The socket belongs to another user: it was told nothing.
    case foreign
    /// It was connected to, but gave no answer in time, or none at all.
    case silent
    /// Anything else, with the system's error number.
    case other(errno: Int32)
  }

  /// Hands a message to the process that listens in a folder, and waits for its answer; blocks.
  ///
  /// - Returns: the answer, of at most 4096 bytes.
  /// - Throws: ``AskFailure``; only with `silent` can the message have arrived.
  package static func ask(
    in folder: String, named name: String, _ message: [UInt8], within time: Duration = .seconds(10)
  ) throws(AskFailure) -> [UInt8] {
    let address: LocalAddress
    do throws(FileError) {
      address = try LocalAddress(name, in: folder)
    } catch .notFound {
      throw .nobody
    } catch .other(_, let code) {
      throw code == ENOTDIR ? .nobody : .other(errno: code)
    } catch {
      throw .other(errno: EACCES)
    }
    let connection = Glibc.socket(AF_UNIX, streaming, 0)
    guard connection >= 0 else { throw .other(errno: errno) }
    defer { Glibc.close(connection) }
    var limit = timeval(tv_sec: max(1, Int(time.components.seconds)), tv_usec: 0)
    for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
      setsockopt(
        connection, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard address.withPointer({ connect(connection, $0, $1) }) == 0 else {
      switch errno {
      case ENOENT, ECONNREFUSED, ENOTDIR: throw .nobody
      case EAGAIN, EINPROGRESS: throw .silent
      default: throw .other(errno: errno)
      }
    }
    guard isOurs(connection) else { throw .foreign }
    var rest = message[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .silent }
      rest = rest.dropFirst(count)
    }
    shutdown(connection, Int32(SHUT_WR))
    return try answer(connection)
  }

  private static func answer(_ connection: Int32) throws(AskFailure) -> [UInt8] {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while answer.count <= buffer.count {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .silent }
      if count == 0 { break }
      answer += buffer[..<count]
    }
    if answer.isEmpty { throw .silent }
    return answer
  }
}
