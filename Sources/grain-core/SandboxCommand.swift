import Foundation
import Sandbox
import StrictJSON

/// `grain-core sandbox`: the local network alone, until it is told to stop.
struct SandboxCommand {
  private let options: CommandLineArguments.SandboxOptions

  init(_ options: CommandLineArguments.SandboxOptions) {
    self.options = options
  }

  func run() async -> ExitCode {
    var configuration = SandboxConfiguration()
    if let seed = options.seed { configuration.seed = seed }
    if let data = options.data { configuration.databasePath = data }
    if let port = options.port { configuration.ports = Self.ports(from: port) }
    let network: SandboxNetwork
    do {
      network = try await SandboxNetwork.start(configuration)
    } catch {
      GrainCoreProgram.complain(
        "grain-core sandbox: the network did not start (\(error)). "
          + "Is a port or the file in use? Choose others with --port and --data.\n")
      return .unavailable
    }
    announce(network.addresses)
    await Signals.untilTold()
    await network.stop()
    return .done
  }

  /// The home server gets the port asked for, the others those behind it.
  private static func ports(from first: Int) -> [SandboxConfiguration.ServerName: Int] {
    let order: [SandboxConfiguration.ServerName] = [
      .pds, .plc, .appView, .entryway, .hostedPDS, .signUpPDS,
    ]
    return Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, first + $0) })
  }

  private func announce(_ addresses: SandboxAddresses) {
    var ready = addresses.configuration
    ready["loopbackClient"] = true
    if options.json {
      print(JSONValue.object(["configuration": .object(ready)]).text())
    } else {
      print(
        """
        The sandbox is running; Ctrl-C ends it.
          home server   \(addresses.pds.absoluteString)
          directory     \(addresses.plc.absoluteString)
          AppView       \(addresses.appView.absoluteString)
          accounts      alice.test and bob.test, password sandbox

        Save this as a file and start a core with grain-core --stdio --config FILE:
        \(JSONValue.object(ready).text())
        """)
    }
    fflush(nil)
  }
}
