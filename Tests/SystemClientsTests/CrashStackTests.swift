import Foundation
import GrainTestSupport
import SystemClients
import Testing

@Suite("A stack for whatever handles a crash")
struct CrashStackTests {
  /// Whether the calling thread has one.
  private static func isThere() -> Bool {
    var stack = stack_t()
    return sigaltstack(nil, &stack) == 0 && stack.ss_flags & Int32(SS_DISABLE) == 0
  }

  @Test("a thread has it while it works, and gives it back")
  func during() async {
    let seen = await onThread {
      var seen = [Self.isThere()]
      CrashStack.during { seen.append(Self.isThere()) }
      return seen + [Self.isThere()]
    }
    #expect(seen == [false, true, false])
  }
}
