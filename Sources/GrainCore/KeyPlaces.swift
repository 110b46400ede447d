import CredentialVault
package import GrainServices
package import SystemClients

/// Where a core may keep the key of its account store (design §4).
///
/// A new store takes the first place that works: the command, and then no other; else the desktop's
/// key store; else a file beside the store. An existing one is opened from the place it recorded, or
/// not at all.
package struct KeyPlaces: Sendable {
  private let command: KeyCommandProvider?
  private let desktop: SecretServiceProvider?

  /// The file beside the store, and nothing of the person's desktop.
  package static let file = KeyPlaces(command: nil, desktop: nil)

  /// - Parameters:
  ///   - command: `--key-command`: a command line that prints the key.
  ///   - usesDesktop: whether the desktop's key store may be asked.
  ///   - environment: the whole environment of the command, and what leads to the desktop.
  ///   - programs: runs both.
  /// - Throws: for a text that is no command; the message says why.
  package init(
    command: String?, usesDesktop: Bool, environment: [String: String],
    programs: ProgramRunner = .live
  ) throws(ConfigurationError) {
    do throws(KeyCommandError) {
      var asked: KeyCommandProvider?
      if let command {
        asked = try KeyCommandProvider(
          command: command, programs: programs, environment: environment)
      }
      self.command = asked
    } catch {
      throw ConfigurationError("--key-command: \(error.message)")
    }
    desktop =
      usesDesktop ? SecretServiceProvider(programs: programs, environment: environment) : nil
  }

  private init(command: KeyCommandProvider?, desktop: SecretServiceProvider?) {
    self.command = command
    self.desktop = desktop
  }

  /// The places.
  ///
  /// - Parameter keyFile: where the file is or would be.
  /// - Returns: the preferred one first.
  func providers(keyFile: String) -> [any KeyProvider] {
    let asked: [(any KeyProvider)?] = [command, desktop, KeyFileProvider(path: keyFile)]
    return asked.compactMap { $0 }
  }

  /// Whether a command was given.
  var hasCommand: Bool { command != nil }

  /// What the person asked for by name is not what this store's key lies in.
  func isPassedOver(by provider: String) -> Bool {
    command.map { $0.name != provider } ?? false
  }
}
