import Foundation
import GrainBridge
import GrainCore
import GrainServices
import JSONRPC
import Sandbox
import StrictJSON
import SystemClients

/// `grain-core --stdio`: serves one shell over standard input and output.
struct StdioCommand {
  private let options: CommandLineArguments.StdioOptions

  init(_ options: CommandLineArguments.StdioOptions) {
    self.options = options
  }

  @MainActor
  func run() async -> ExitCode {
    let isTerminal = isatty(STDIN_FILENO) == 1
    guard let descriptors = PrivateDescriptors.take() else { return .fault }
    CrashPolicy.apply()
    let thresholds = LogThresholds(Self.logLevel(options.logLevel))
    let stderr = StderrSink(clock: .live)
    let log = Log(clock: .live, sink: stderr.sink, thresholds: thresholds)

    let setup: Setup
    do throws(SetupError) {
      setup = try Setup(options)
    } catch {
      GrainCoreProgram.complain("grain-core: \(error.message)\n")
      return .usage
    }
    var bridge = BridgeOptions()
    bridge.framing = Framing(rawValue: options.framing) ?? .auto
    bridge.setLogLevel = { name, target in
      guard let level = LogLevel(rawValue: name) else { return false }
      thresholds.set(level, target: target)
      return true
    }
    if let path = options.record {
      guard
        let file = TranscriptFile(
          path, title: "recorded session", arguments: recordedArguments)
      else {
        GrainCoreProgram.complain(
          "grain-core: \(path) cannot be written; choose another --record\n")
        return .usage
      }
      bridge.record = { file.add($0) }
    }
    setup.test?.equip(&bridge)
    let code = await serve(descriptors, setup, log, bridge, isTerminal: isTerminal)
    await setup.stop()
    _ = stderr.flush(within: .milliseconds(200))
    return code
  }

  /// What a run of the recording has to start the core with.
  private var recordedArguments: [String] {
    let seed = options.seed.map { ["--seed=\($0)"] } ?? []
    return ["--profile=\(options.profile.rawValue)"] + seed
  }

  @MainActor
  private func serve(
    _ descriptors: PrivateDescriptors, _ setup: Setup, _ log: Log, _ options: BridgeOptions,
    isTerminal: Bool
  ) async -> ExitCode {
    let stopper = Stopper()
    var options = options
    options.watchProcess = { process in
      if !ParentWatch.begin(process, gone: { stopper.stop() }) {
        log.write(.info, "bridge", "the shell's process is not watched; the end of input tells")
      }
    }
    var doors = Core.Doors(log: log, keys: setup.keys)
    setup.test?.equip(&doors)
    let host: CoreHost
    do {
      host = try CoreHost.start(
        input: descriptors.input, output: descriptors.output, dataFolder: setup.dataFolder,
        configuration: { () async throws(StoreFault) in try await setup.configuration() },
        doors: doors, options: options)
    } catch {
      log.write(.fault, "bridge", "no descriptors or threads are left")
      return .fault
    }
    stopper.set(host)
    if !isTerminal { signal(SIGINT, SIG_IGN) }
    let watch = SignalWatch(isTerminal ? [SIGTERM, SIGHUP, SIGINT] : [SIGTERM, SIGHUP]) {
      stopper.stop()
    }
    let reason = await host.run()
    watch.end()
    switch reason {
    case .framingLost: return .framingLost
    case .peerStuck:
      log.write(.error, "bridge", "peer.stuck")
      return .peerStuck
    case .readFailed, .writeFailed: return .fault
    case .endOfInput, .stopped, .outputClosed, .closed: return .done
    }
  }

  private static func logLevel(_ option: LogLevel?) -> LogLevel {
    let inherited = ProcessInfo.processInfo.environment["GRAIN_LOG"] ?? ""
    return option ?? LogLevel(rawValue: inherited) ?? .info
  }
}

/// Ends a session from other threads, also when it is told before the session has begun.
private final class Stopper: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var host: CoreHost?  // touched only under the lock
  nonisolated(unsafe) private var isTold = false  // touched only under the lock

  func set(_ host: CoreHost) {
    lock.lock()
    self.host = host
    let isTold = isTold
    lock.unlock()
    if isTold { host.stop() }
  }

  func stop() {
    lock.lock()
    isTold = true
    let host = host
    lock.unlock()
    host?.stop()
  }
}
