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
    let incident = CrashPolicy.apply()
    let level: LogLevel
    do throws(CommandLineArguments.UsageError) {
      level = try CommandLineArguments.logLevel(options.logLevel, Self.environment)
    } catch {
      GrainCoreProgram.complain("grain-core: \(error.message)\n")
      return .usage
    }
    guard let descriptors = PrivateDescriptors.take() else {
      GrainCoreProgram.complain("grain-core: the process may have no more descriptors\n")
      return .fault
    }
    let thresholds = LogThresholds(level)
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
    let transcript: TranscriptFile?
    do throws(SetupError) {
      transcript = try self.transcript(log)
    } catch {
      GrainCoreProgram.complain("grain-core: \(error.message)\n")
      return .usage
    }
    if let transcript { bridge.record = { transcript.add($0) } }
    setup.test?.equip(&bridge)
    let reason = await serve(descriptors, setup, log, bridge, isTerminal: isTerminal)
    await setup.stop()
    if transcript?.close() == false {
      log.write(.warn, "record", "nobody has read the end of the recording")
    }
    let code = Self.code(of: reason, log, incident)
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
  ) async -> EndReason? {
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
      // Neither descriptors nor threads are left.
      return nil
    }
    stopper.set(host)
    if !isTerminal { signal(SIGINT, SIG_IGN) }
    let watch = SignalWatch(isTerminal ? [SIGTERM, SIGHUP, SIGINT] : [SIGTERM, SIGHUP]) {
      stopper.stop()
    }
    let reason = await host.run()
    watch.end()
    return reason
  }

  /// How the program ends after a session (bridge-protocol §3.3); where something went wrong the log says
  /// what.
  private static func code(of reason: EndReason?, _ log: Log, _ incident: String) -> ExitCode {
    func fault(_ message: StaticString, _ errno: Int32? = nil) -> ExitCode {
      var fields = ["incident": incident]
      if let errno { fields["errno"] = String(cString: strerror(errno)) }
      log.write(.fault, "bridge", message, fields)
      return .fault
    }
    switch reason {
    case .endOfInput, .stopped, .outputClosed, .closed: return .done
    case .framingLost(let fault):
      log.write(.error, "bridge", "framing lost", ["where": "\(fault)"])
      return .framingLost
    case .peerStuck:
      log.write(.error, "bridge", "peer.stuck")
      return .peerStuck
    case .readFailed(let errno): return fault("standard input cannot be read", errno)
    case .writeFailed(let errno): return fault("standard output cannot be written", errno)
    case nil: return fault("no descriptors or threads are left")
    }
  }

  /// The recording that was asked for: `--record`, else `GRAIN_CORE_RECORD` (bridge-protocol §13).
  private func transcript(_ log: Log) throws(SetupError) -> TranscriptFile? {
    let inherited = Self.environment["GRAIN_CORE_RECORD"] ?? ""
    guard let path = options.record ?? (inherited.isEmpty ? nil : inherited) else { return nil }
    do throws(FileError) {
      return try TranscriptFile(path, title: "recorded session", arguments: recordedArguments) {
        switch $0 {
        case .gapBegan(let errno):
          let why = errno.map { String(cString: strerror($0)) } ?? "nobody reads it fast enough"
          log.write(.warn, "record", "messages are left out of the recording", ["why": why])
        case .gapEnded(let count):
          log.write(
            .warn, "record", "messages were left out of the recording", ["count": "\(count)"])
        }
      }
    } catch {
      let option = options.record == nil ? "GRAIN_CORE_RECORD" : "--record"
      throw SetupError(message: "\(path) cannot be written; choose another \(option)")
    }
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
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
