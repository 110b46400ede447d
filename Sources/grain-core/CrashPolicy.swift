import CLinux
import Glibc

/// What a crash leaves behind: nothing. Tokens and keys pass through this process's memory.
enum CrashPolicy {
  /// No core file, and no backtrace either: the runtime's handler would print registers, and cannot look
  /// at its own threads once core files are forbidden, so that the process would never end.
  static func apply() {
    _ = grain_forbid_core_dumps()
    for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      _ = signal(crash, SIG_DFL)
    }
  }
}
