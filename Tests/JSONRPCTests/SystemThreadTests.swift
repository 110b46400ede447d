import Foundation
import SystemClients
import Testing

@testable import JSONRPC

@Suite("Threads for calls that block")
struct SystemThreadTests {
  @Test(
    "a thread of ours takes no signal, but a crash in it reaches the program's last words (§11)")
  func signals() async throws {
    let blocked: Set<Int32> = try await withCheckedThrowingContinuation { continuation in
      do {
        try SystemThread.start {
          var mask = sigset_t()
          pthread_sigmask(SIG_BLOCK, nil, &mask)
          continuation.resume(returning: Set((1..<32).filter { sigismember(&mask, $0) == 1 }))
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(blocked.isSuperset(of: [SIGPIPE, SIGTERM, SIGHUP, SIGINT, SIGCHLD]))
    #expect(blocked.isDisjoint(with: [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]))
  }

  @Test("a thread of ours has a stack for the program's last words where its own runs out (§11)")
  func crashStack() async throws {
    let stack: stack_t = try await withCheckedThrowingContinuation { continuation in
      do {
        try SystemThread.start {
          var stack = stack_t()
          _ = sigaltstack(nil, &stack)
          continuation.resume(returning: stack)
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(stack.ss_flags & Int32(SS_DISABLE) == 0)
    #expect(stack.ss_size >= 32_768)
  }
}
