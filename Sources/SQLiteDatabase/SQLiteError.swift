import CSQLite
import Glibc

/// Why the database refused. Texts are for logs; they name columns, never values.
package enum SQLiteError: Error, Equatable, Sendable {
  /// Another connection kept the lock for longer than the busy timeout. Trying again may help.
  case busy
  /// The disk, the quota or a size limit is exhausted. Nothing of the transaction was kept.
  case full
  /// The file or its file system cannot be written.
  case readOnly
  /// The file is damaged.
  case corrupt(String)
  /// The file is something else altogether.
  case notADatabase
  /// A newer program wrote this file; it was not touched.
  case newerSchema(found: Int, known: Int)
  /// Another program wrote this file; it was not touched.
  case foreignApplication
  /// The file could not be opened at all.
  case cannotOpen(String)
  /// The change contradicts a constraint of the schema.
  case constraint(String)
  /// Anything else, with SQLite's extended result code; mostly a mistake in our SQL.
  case other(code: Int32, message: String)

  /// The failure that a connection last met.
  init(code: Int32, connection: OpaquePointer?) {
    let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? ""
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_CORRUPT: self = .corrupt(message)
    case SQLITE_NOTADB: self = .notADatabase
    case SQLITE_CANTOPEN: self = .cannotOpen(message)
    case SQLITE_CONSTRAINT: self = .constraint(message)
    case SQLITE_IOERR where Self.isExhausted(sqlite3_system_errno(connection)): self = .full
    case SQLITE_IOERR where code == Self.writeFailed && Self.hasFileSizeLimit: self = .full
    default: self = .other(code: code, message: message)
    }
  }

  /// A system call that failed before SQLite was involved.
  init(errno code: Int32) {
    switch code {
    case EROFS, EACCES, EPERM: self = .readOnly
    case _ where Self.isExhausted(code): self = .full
    default: self = .cannotOpen(String(cString: strerror(code)))
    }
  }

  /// `SQLITE_IOERR_WRITE`, which is a macro Swift does not see.
  private static let writeFailed: Int32 = SQLITE_IOERR | 3 << 8

  /// Taking back what was written loses the reason why it failed; with a limit on the size of files
  /// that is what it was.
  private static var hasFileSizeLimit: Bool {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    return limit.rlim_cur != rlim_t.max
  }

  private static func isExhausted(_ code: Int32) -> Bool {
    code == ENOSPC || code == EDQUOT || code == EFBIG
  }
}
