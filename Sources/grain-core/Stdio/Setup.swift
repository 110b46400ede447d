import Foundation
import GrainCore
import GrainServices
import Sandbox
import StrictJSON
import SystemClients

/// Why a core cannot be set up, in words for whoever started it.
struct SetupError: Error {
  let message: String
}

/// Where a core works and what it is configured for; with the sandbox profile, the network too.
final class Setup: Sendable {
  let dataFolder: String
  /// Where the key of the account store may lie.
  let keys: KeyPlaces
  /// What the configuration file says; without one, the built-in values.
  let file: CoreConfiguration
  /// Set with `--profile test`.
  let test: TestProfile?
  private let options: CommandLineArguments.StdioOptions
  private let isTemporary: Bool
  private let network = Locked<SandboxNetwork?>(nil)

  /// Reads what the command line names.
  ///
  /// - Throws: for a configuration file or a key command that cannot be used.
  init(_ options: CommandLineArguments.StdioOptions) throws(SetupError) {
    self.options = options
    let temporary = options.profile == .test && options.dataFolder == nil
    dataFolder = temporary ? try Self.memoryFolder() : Self.dataFolder(options)
    isTemporary = temporary
    test =
      options.profile == .test
      ? TestProfile(
        seed: options.seed ?? SandboxConfiguration().seed,
        clockFile: temporary ? nil : "\(dataFolder)/test-clock") : nil
    file = try Self.read(options.configuration)
    do throws(ConfigurationError) {
      // A play network's accounts have no business in the person's key store.
      keys = try KeyPlaces(
        command: options.keyCommand, usesDesktop: options.profile == .prod,
        environment: ProcessInfo.processInfo.environment)
    } catch {
      throw SetupError(message: error.message)
    }
  }

  /// The configuration, once the data folder is locked.
  ///
  /// With the sandbox profile the network is started first. Its state and ports stay in the data
  /// folder, so a restart meets the same servers.
  func configuration() async throws(StoreFault) -> CoreConfiguration {
    if options.profile == .prod { return file }
    let running = network.withLock { $0 }
    let sandbox: SandboxNetwork
    if let running {
      sandbox = running
    } else {
      sandbox = try await startNetwork()
      network.withLock { $0 = sandbox }
    }
    return try CoreConfiguration.meeting(sandbox.addresses)
  }

  /// Stops the network, if there is one, and removes what was not to be kept.
  func stop() async {
    let running = network.withLock { $0.take() }
    await running?.stop()
    // What is left behind is gone with the machine's memory.
    if isTemporary { try? PrivateFiles.remove(dataFolder) }
  }

  private func startNetwork() async throws(StoreFault) -> SandboxNetwork {
    var configuration = SandboxConfiguration()
    if let seed = options.seed { configuration.seed = seed }
    if let test { configuration.clock = test.clock.clock }
    if !isTemporary { configuration.databasePath = "\(dataFolder)/sandbox.sqlite" }
    do {
      let sandbox = try await SandboxNetwork.start(configuration)
      test?.reach { [configuration] name, isOn in
        await sandbox.takeFault(name, isOn, configuration)
      }
      return sandbox
    } catch {
      throw .unwritable("the sandbox did not start: \(error)")
    }
  }

  /// `--data-dir`, else the desktop's place for data (design §4).
  static func dataFolder(_ options: CommandLineArguments.StdioOptions) -> String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = options.dataFolder {
      return URL(filePath: folder).absoluteURL.standardizedFileURL.path
    }
    let name = options.profile == .prod ? "grain-core" : "grain-core-\(options.profile.rawValue)"
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/\(name)" }
    return "\(environment["HOME"] ?? "/tmp")/.local/share/\(name)"
  }

  /// A folder in the machine's memory, where there is one: what the test profile stores is gone with
  /// the process.
  private static func memoryFolder() throws(SetupError) -> String {
    let memory = "/dev/shm"
    let place =
      access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
    let name = SystemRandom.live.bytes(8).map { String($0, radix: 36) }.joined()
    let folder = "\(place)/grain-core-test-\(name)"
    do throws(FileError) {
      try PrivateFiles.makeFolder(folder)
    } catch {
      throw SetupError(message: "\(place) cannot be written; give a --data-dir")
    }
    return folder
  }

  private static func read(_ path: String?) throws(SetupError) -> CoreConfiguration {
    guard let path else { return CoreConfiguration() }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw SetupError(message: "\(path) cannot be read; give --config a file that exists")
    }
    do throws(ConfigurationError) {
      return try CoreConfiguration.reading(Array(bytes))
    } catch {
      throw SetupError(message: "\(path): \(error.message)")
    }
  }
}

extension CoreConfiguration {
  /// A configuration that meets a sandbox, with its loopback client on offer.
  static func meeting(_ addresses: SandboxAddresses) throws(StoreFault) -> CoreConfiguration {
    var file = addresses.configuration
    file["loopbackClient"] = true
    do throws(ConfigurationError) {
      return try .reading(.object(file))
    } catch {
      throw .unwritable("the sandbox's configuration does not fit: \(error.message)")
    }
  }
}

extension SandboxNetwork {
  /// A fault of the test profile that happens at a server; `false` for an unknown name. Tokens that were
  /// revoked stay so.
  fileprivate func takeFault(
    _ name: String, _ isOn: Bool, _ configuration: SandboxConfiguration
  ) async -> Bool {
    do {
      switch name {
      case "platrium.revoked":
        for person in configuration.tokenService.people where isOn {
          try await tokenService.revokeAll(of: person.id)
        }
      case "pixiv.revoked":
        for person in configuration.pixiv.people where isOn {
          try await pixivService.revokeTokens(of: person.account)
        }
      default: return false
      }
      return true
    } catch {
      return false
    }
  }
}
