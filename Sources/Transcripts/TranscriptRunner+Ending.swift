import Foundation
import StrictJSON
import SystemClients

extension TranscriptRunner {
  private static let usualEnd = 10_000

  /// Something goes wrong: in the core, or with the shell itself.
  func fault(_ name: String, _ isOn: Bool, _ milliseconds: Int?) async throws {
    switch name {
    case "peer.stopReading": try core().listen(!isOn)
    case "peer.kill": try core().abandon()
    default:
      var params: JSONObject = ["fault": .string(name), "on": .bool(isOn)]
      if let milliseconds { params["ms"] = JSONValue(milliseconds) }
      _ = try await ask("$/test/fault", params)
    }
  }

  /// Ends the core and starts the next on the same data.
  func restart(_ signal: String?) async throws {
    let core = try core()
    if let signal {
      guard let number = Self.signals[signal] else {
        throw StepFailure("“\(signal)” is no signal; use KILL, TERM or HUP")
      }
      core.send(number)
    }
    core.closeInput()
    guard await core.status(within: limit(nil, otherwise: Self.usualEnd)) != nil else {
      throw StepFailure("the core did not end")
    }
    _ = await inbox.wait(limit(nil, otherwise: Self.usualEnd)) { inbox -> Inbox.Look<Bool> in
      .waiting
    }
    await inbox.reset()
    state.withLock { $0.page = nil }
    try start()
  }

  private static let signals = ["KILL": SIGKILL, "TERM": SIGTERM, "HUP": SIGHUP]

  /// Tells the core to end and insists on its status.
  func end(_ by: TranscriptStep.By, exitCode: Int, within: Int?) async throws {
    let core = try core()
    switch by {
    case .shutdown:
      // Whether it is answered, and how, is not asked here: a core that has not begun refuses it.
      _ = try? await ask("shutdown", [:], within: within)
      _ = core.send(["method": "exit"])
    case .exit: _ = core.send(["method": "exit"])
    case .term, .hangUp, .kill: core.send(Self.signals[by.rawValue] ?? SIGTERM)
    case .eof, .itself: break
    }
    if ![.itself, .term, .hangUp].contains(by) { core.closeInput() }
    let status = await core.status(within: limit(within, otherwise: Self.usualEnd))
    core.closeInput()
    state.withLock { $0.isEnded = true }
    guard let status else {
      core.send(SIGKILL)
      throw StepFailure("the core did not end (\(by.rawValue))")
    }
    let wanted = by == .kill ? -SIGKILL : Int32(exitCode)
    guard status == wanted else {
      throw StepFailure("the core ended with \(status), not with \(wanted)")
    }
  }
}
