import CLinux
import Foundation
import Glibc

/// A socket in a private folder, where other processes of the same user hand over one short message
/// each and hear one short answer.
///
/// A connection carries bytes until the sender has finished, then the answer, then nothing more. Who
/// is another user, says too much or takes too long is hung up on unheard. Source: design §4.
package final class FolderSocket: Sendable {
  /// What is taken from the other side.
  package struct Limits: Sendable {
    /// Bytes of one message.
    package var messageBytes: Int
    /// How long a connection may take as a whole.
    package var time: Duration
    /// Connections at the same time; others wait.
    package var connections: Int

    /// Room for an address, and no more.
    package init(messageBytes: Int = 65_536, time: Duration = .seconds(5), connections: Int = 8) {
      self.messageBytes = messageBytes
      self.time = time
      self.connections = connections
    }
  }

  private let path: String
  private let limits: Limits
  private let ends: Locked<Ends?>

  /// What there is to close: the socket, and the pipe that wakes the thread.
  private struct Ends: Sendable {
    let listener: Int32
    let waking: Int32
    let wake: Int32
    var isServed = false
  }

  private init(path: String, limits: Limits, ends: Ends) {
    self.path = path
    self.limits = limits
    self.ends = Locked(ends)
  }

  deinit { close() }

  /// Makes the socket, 0600, in place of one that a dead process has left; from now on others can
  /// connect, and wait until ``serve(_:)`` is called.
  ///
  /// Only for the one process that holds the folder's lock.
  /// - Throws: `FileError` where the folder takes no socket.
  package static func listen(
    in folder: String, named name: String, limits: Limits = Limits()
  ) throws(FileError) -> FolderSocket {
    let path = "\(folder)/\(name)"
    let address = try LocalAddress(name, in: folder)
    guard unlink(path) == 0 || errno == ENOENT else { throw .writing(path, errno: errno) }
    let listener = Glibc.socket(AF_UNIX, streaming, 0)
    guard listener >= 0 else { throw .writing(path, errno: errno) }
    var pipe: [Int32] = [-1, -1]
    // The mode the socket is born with is that of its descriptor (unix(7) is silent, Linux is not).
    guard fchmod(listener, 0o600) == 0, address.withPointer({ bind(listener, $0, $1) }) == 0,
      Glibc.listen(listener, 16) == 0, grain_pipe_cloexec(&pipe) == 0
    else {
      let code = errno
      Glibc.close(listener)
      throw .writing(path, errno: code)
    }
    return FolderSocket(
      path: path, limits: limits,
      ends: Ends(listener: listener, waking: pipe[0], wake: pipe[1]))
  }

  /// Begins to take messages, on a thread of its own.
  ///
  /// - Parameter answer: called with each message, one at a time; must be quick.
  package func serve(_ answer: @escaping @Sendable (_ message: [UInt8]) -> [UInt8]) {
    let served = ends.withLock { ends -> Ends? in
      guard let open = ends, !open.isServed else { return nil }
      ends?.isServed = true
      return open
    }
    guard let served else { return }
    let limits = limits
    let thread = Thread {
      blockBrokenPipeSignal()
      var loop = FolderSocketLoop(
        listener: served.listener, waking: served.waking, limits: limits, answer: answer)
      loop.run()
    }
    thread.name = "folder-socket"
    thread.start()
  }

  /// Removes the socket and takes nothing more; a second call does nothing.
  package func close() {
    ends.withLock { ends in
      guard let open = ends else { return }
      ends = nil
      unlink(path)
      if !open.isServed {
        Glibc.close(open.listener)
        Glibc.close(open.waking)
      }
      // The thread, if there is one, closes the rest when it sees this.
      Glibc.close(open.wake)
    }
  }

  static let streaming = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

  /// Whether the other end of a connection is this very user.
  static func isOurs(_ connection: Int32) -> Bool {
    var user: UInt32 = 0
    return grain_peer_user(connection, &user) == 0 && user == geteuid()
  }
}
