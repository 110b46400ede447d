package import GrainBridge
import GrainServices
import GrainModels
import GrainSnapshots
package import JSONRPC
import SystemClients

/// One core serving one shell over a pair of file descriptors: what `--stdio` runs on standard
/// input and output, and tests on a pipe.
package final class CoreHost: Sendable {
  private let bridge: Bridge

  /// Starts to serve; the data folder is opened when the shell says `initialize`.
  ///
  /// Both descriptors are owned from now on, and must be two; the folder's path is absolute, and it is
  /// made when it is missing.
  ///
  /// - Parameters:
  ///   - input: what the shell writes.
  ///   - output: what the shell reads.
  ///   - dataFolder: where the core works.
  ///   - configuration: asked once the folder is ours.
  ///   - doors: to the machine.
  ///   - options: of the bridge.
  /// - Returns: a host that has written nothing yet.
  /// - Throws: when the process has no descriptors or threads left.
  @MainActor
  package static func start(
    input: Int32, output: Int32, dataFolder: String,
    configuration: @escaping Core.ConfigurationSource,
    doors: Core.Doors, options: BridgeOptions = BridgeOptions()
  ) throws(DescriptorError) -> CoreHost {
    let opened = Opened()
    var options = options
    options.version = CoreVersion.text
    let session = (doors.ids ?? doors.random).bytes(4).map { byte in
      byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16)
    }
    options.session = "s-\(session.joined())"
    options.clock = doors.patience ?? doors.clock
    let log = doors.log
    options.log = { level, message, fields in
      log.write(level == "error" ? .error : .warn, "bridge", message, fields)
    }
    let opener = CoreOpener(
      open: {
        do throws(StoreFault) {
          let core = try await Core.open(
            dataFolder: dataFolder, configuration: configuration, doors: doors)
          opened.core.withLock { $0 = core }
          return .success(core.models)
        } catch {
          return .failure(OpeningFailure(Problem(error)))
        }
      },
      close: {
        let core = opened.core.withLock { $0.take() }
        await core?.close()
      })
    return CoreHost(
      bridge: try Bridge.start(input: input, output: output, options: options, core: opener))
  }

  private init(bridge: Bridge) {
    self.bridge = bridge
  }

  /// Serves until the session is over and everything is let go of.
  package func run() async -> EndReason {
    await bridge.run()
  }

  /// Ends the session as if the shell had closed its end.
  package func stop() { bridge.stop() }
}

/// The core a session has opened, until it lets go of it.
private final class Opened: Sendable {
  let core = Locked<Core?>(nil)
}
