import GrainCore
import SystemClients

/// A desktop's key store behind a `secret-tool` of the test: one entry, which can be locked away.
final class ScriptedKeyStore: Sendable {
  private struct State {
    var isLocked = false
    var key: [UInt8]?
  }

  private let state = Locked(State())

  /// Whether its entry is listed without its secret.
  var isLocked: Bool {
    get { state.withLock(\.isLocked) }
    set { state.withLock { $0.isLocked = newValue } }
  }

  /// The desktop's key store, and after it the file, as a core would look for them.
  var places: KeyPlaces {
    get throws {
      try KeyPlaces(
        command: nil, usesDesktop: true,
        environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"],
        programs: ProgramRunner(
          run: { [self] invocation in answer(invocation) }, find: { "/usr/bin/\($0)" }))
    }
  }

  private func answer(_ invocation: ProgramInvocation) -> ProgramResult {
    state.withLock { state in
      switch invocation.arguments.first {
      case "store":
        state.key = invocation.input
        return ProgramResult(status: 0, output: [], errorOutput: [])
      case "search":
        guard let key = state.key else {
          return ProgramResult(status: 0, output: [], errorOutput: [])
        }
        let secret = state.isLocked ? [] : Array("secret = ".utf8) + key + Array("\n".utf8)
        return ProgramResult(
          status: 0, output: Array("[/1]\nlabel = key\n".utf8) + secret, errorOutput: [])
      default: return ProgramResult(status: 1, output: [], errorOutput: [])
      }
    }
  }
}
