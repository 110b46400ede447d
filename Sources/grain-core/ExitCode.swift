import Foundation

/// How a program ends (sysexits(3); bridge-protocol §3.3).
enum ExitCode: Int32 {
  case done = 0
  case failed = 1
  case usage = 64
  case framingLost = 65
  case unavailable = 69
  case fault = 70
  case peerStuck = 75

  /// Ends the process at once, with nothing of ours still running behind it.
  func leave() -> Never {
    fflush(nil)
    _exit(rawValue)
  }
}
