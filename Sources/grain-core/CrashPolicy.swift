import CLastWords
import CLinux
import SystemClients

/// What a crash leaves behind: one line in the log, and nothing of the memory that tokens and keys pass
/// through.
enum CrashPolicy {
  /// From now on a crash writes a `fault` line with the incident's name to standard error and ends the
  /// process with 70 (bridge-protocol §§3.3, 11).
  ///
  /// No core file, and no backtrace either: the runtime's handler would print registers, and cannot look at
  /// its own threads once core files are forbidden, so that the process would never end.
  ///
  /// - Returns: the name that every fault of this process goes by.
  @discardableResult
  static func apply() -> String {
    _ = grain_forbid_core_dumps()
    let digits = SystemRandom.live.bytes(4).map { byte in
      byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16)
    }
    let incident = "i-\(digits.joined())"
    let fields =
      #"","level":"fault","target":"core","msg":"crashed","fields":{"incident":"\#(incident)","signal":""#
    // Without memory for it the system ends a crash as it likes.
    _ = grain_prepare_last_words(fields, ExitCode.fault.rawValue)
    return incident
  }
}
