import CLinux
import Foundation

/// The protocol's two descriptors, out of everybody else's reach.
///
/// Standard input and output are duplicated to private close-on-exec descriptors; then descriptor 0
/// is `/dev/null` and 1 is standard error, so that neither a stray `print` nor a child process can
/// touch the protocol (bridge-protocol §3.3, FB-C1).
struct PrivateDescriptors {
  let input: Int32
  let output: Int32

  /// - Returns: `nil` when the process has no descriptors to give.
  static func take() -> PrivateDescriptors? {
    let input = grain_duplicate_cloexec(STDIN_FILENO, 3)
    let output = grain_duplicate_cloexec(STDOUT_FILENO, 3)
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard input >= 0, output >= 0, null >= 0, dup2(null, STDIN_FILENO) >= 0,
      dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
    else { return nil }
    close(null)
    return PrivateDescriptors(input: input, output: output)
  }
}
