import CLinux
import Foundation

/// Watches the shell's process by a handle and tells when it has ended (bridge-protocol §3.3).
enum ParentWatch {
  /// - Parameters:
  ///   - process: the id the shell gave; only an ancestor of ours is watched.
  ///   - gone: called once, from a thread of its own.
  /// - Returns: whether the process is watched; otherwise only the end of input tells.
  static func begin(_ process: Int32, gone: @escaping @Sendable () -> Void) -> Bool {
    guard isAncestor(process) else { return false }
    let handle = grain_pidfd_open(process)
    guard handle >= 0 else { return false }
    let thread = Thread {
      var wait = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      while poll(&wait, 1, -1) < 0, errno == EINTR {}
      close(handle)
      gone()
    }
    thread.name = "parent watch"
    thread.start()
    return true
  }

  private static func isAncestor(_ process: Int32) -> Bool {
    var current = getppid()
    // A chain of processes is never this long; the bound guards against a lying /proc.
    for _ in 0..<64 where current > 1 {
      if current == process { return true }
      guard let parent = parent(of: current) else { return false }
      current = parent
    }
    return current == process
  }

  private static func parent(of process: Int32) -> Int32? {
    guard let status = FileManager.default.contents(atPath: "/proc/\(process)/status") else {
      return nil
    }
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("PPid:") }
    return line.flatMap { Int32($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
  }
}
