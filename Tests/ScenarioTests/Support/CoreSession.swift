import Foundation
import GrainBridge
import GrainCore
import GrainServices
import JSONRPC
import ShellClient
import StrictJSON
import SystemClients

/// One core in this process with one shell on a pair of pipes: the real protocol, real HTTP.
final class CoreSession: Sendable {
  let shell: Shell
  /// What this core asks of the network.
  let tap: RequestTap
  private let running: Task<EndReason, Never>

  private init(shell: Shell, tap: RequestTap, running: Task<EndReason, Never>) {
    self.shell = shell
    self.tap = tap
    self.running = running
  }

  /// Starts a core over a data folder; the shell has not spoken yet.
  @MainActor
  static func start(
    dataFolder: String, configuration: CoreConfiguration, doors: Core.Doors, tap: RequestTap,
    browser: Browser, options: BridgeOptions = BridgeOptions()
  ) async throws -> CoreSession {
    var doors = doors
    doors.http = tap.http
    let (toCore, toShell) = (try PipeEnds(), try PipeEnds())
    let host = try CoreHost.start(
      input: toCore.reading, output: toShell.writing, dataFolder: dataFolder,
      configuration: { () async throws(StoreFault) in configuration }, doors: doors,
      options: options)
    let shell = await Shell(input: toShell.reading, output: toCore.writing, browser: browser)
    return CoreSession(shell: shell, tap: tap, running: Task { await host.run() })
  }

  /// Says goodbye and waits until the data folder is free.
  func end() async throws {
    try await shell.shutdown()
    _ = try await within("the core to let go") { [running] in await running.value }
  }

  /// Closes the shell's end without a word and waits until the data folder is free.
  func abandon() async throws {
    try await shell.hangUp()
    _ = try await within("the core to let go") { [running] in await running.value }
  }
}

/// The two ends of a new pipe, which no started program inherits.
struct PipeEnds {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    (reading, writing) = (ends[0], ends[1])
  }
}
