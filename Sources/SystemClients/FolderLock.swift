import Glibc

/// Holds a data folder for this process alone (FB-E2), by `flock(2)` on the file `lock` in it.
///
/// The kernel drops the lock when the process ends in whatever way, so a dead holder blocks nobody.
package final class FolderLock: Sendable {
  private let descriptor: Locked<Int32?>

  private init(_ descriptor: Int32) {
    self.descriptor = Locked(descriptor)
  }

  deinit { release() }

  /// Locks the folder without waiting and notes the process id in the lock file.
  ///
  /// - Throws: `FileError.locked` with the id its holder noted.
  package static func acquire(_ folder: String, processID: Int32) throws(FileError) -> FolderLock {
    let path = "\(folder)/lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .writing(path, errno: errno) }
    try lock(descriptor, path)
    let note = Array("\(processID)\n".utf8)
    guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0,
      pwrite(descriptor, note, note.count, 0) == note.count
    else {
      let code = errno
      close(descriptor)
      throw .writing(path, errno: code)
    }
    return FolderLock(descriptor)
  }

  /// Keeps others from beginning to work in the folder while it is looked at. Nothing is written,
  /// not even a missing lock file, so a read-only folder can be looked at too.
  ///
  /// - Returns: `nil` where there is no lock file, and so nobody who works here.
  /// - Throws: `FileError.locked` with the id its holder noted.
  package static func acquireToLook(_ folder: String) throws(FileError) -> FolderLock? {
    let path = "\(folder)/lock"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .reading(path, errno: errno)
    }
    try lock(descriptor, path)
    return FolderLock(descriptor)
  }

  /// Gives the folder back; a second call does nothing. The file stays, or a process that has just
  /// opened it would lock a name that is gone.
  package func release() {
    descriptor.withLock { held in
      guard let open = held else { return }
      held = nil
      ftruncate(open, 0)
      // A program that is just being started holds a copy until it is another one: closing ours alone
      // would leave the folder locked for that moment.
      flock(open, LOCK_UN)
      close(open)
    }
  }

  private static func lock(_ descriptor: Int32, _ path: String) throws(FileError) {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      let holder = notedProcess(descriptor)
      close(descriptor)
      throw code == EWOULDBLOCK ? .locked(holder: holder) : .other(path, errno: code)
    }
  }

  private static func notedProcess(_ descriptor: Int32) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    let digits = buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}
