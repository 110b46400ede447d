import Glibc

/// Why a file, a folder or a lock could not be had.
package enum FileError: Error, Equatable, Sendable {
  /// There is nothing at that path.
  case notFound(String)
  /// The disk, the quota or the file-size limit is exhausted.
  case full
  /// Permissions or a read-only file system forbid writing that path.
  case unwritable(String)
  /// The path belongs to another user.
  case notOwned(String)
  /// Another process holds the folder; its id, if it could be read.
  case locked(holder: Int32?)
  /// Anything else, with the system's error number.
  case other(String, errno: Int32)

  /// The failure of a call that creates or changes `path`.
  static func writing(_ path: String, errno code: Int32) -> FileError {
    switch code {
    case ENOENT: .notFound(path)
    case ENOSPC, EDQUOT, EFBIG: .full
    case EACCES, EPERM, EROFS: .unwritable(path)
    default: .other(path, errno: code)
    }
  }

  /// The failure of a call that only looks at `path`.
  static func reading(_ path: String, errno code: Int32) -> FileError {
    code == ENOENT ? .notFound(path) : .other(path, errno: code)
  }
}
