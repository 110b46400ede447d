import Glibc

/// The files of a database as the system sees them: the main one, `-wal` and `-shm`.
enum DatabaseFile {
  /// Makes sure the main file exists, is ours, and that nobody else may read any of the three.
  ///
  /// The main file is opened here only when it is new: closing a second descriptor of a file drops
  /// every POSIX lock the process holds on it, and with them those of our other connections.
  /// SQLite gives the two companions the mode of the main file.
  static func prepare(_ path: String) throws(SQLiteError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      let code = fchmod(descriptor, 0o600) == 0 ? 0 : errno
      close(descriptor)
      guard code == 0 else { throw SQLiteError(errno: code) }
    } else if errno != EEXIST {
      throw SQLiteError(errno: errno)
    }
    try tighten(path + "-wal")
    try tighten(path + "-shm")
    // SQLite takes a file of a single byte for an empty one and would write over it.
    guard try tighten(path) != 1 else { throw .notADatabase }
  }

  /// Takes a loose mode away and returns the file's size; nil for a companion that is not there.
  @discardableResult
  private static func tighten(_ path: String) throws(SQLiteError) -> Int? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .cannotOpen("not a file") }
    guard facts.st_uid == geteuid() else { throw .cannotOpen("belongs to another user") }
    guard facts.st_mode & 0o077 == 0 || chmod(path, 0o600) == 0 else {
      throw SQLiteError(errno: errno)
    }
    return facts.st_size
  }
}
