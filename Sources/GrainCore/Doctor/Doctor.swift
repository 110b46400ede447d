package import GrainServices
import SystemClients

/// Looks at what this machine offers a core and at the store of one, and says what to do. Changes
/// nothing unless it is told to (``Doctor/rewrap(to:)``, ``Doctor/setAside(at:)``).
package struct Doctor: Sendable {
  let dataFolder: String
  let configuration: CoreConfiguration
  let doors: Core.Doors

  /// - Parameters:
  ///   - dataFolder: an absolute path; it need not exist.
  ///   - configuration: names the servers that must be found.
  ///   - doors: to the machine; `keys` as the core would have them.
  package init(dataFolder: String, configuration: CoreConfiguration, doors: Core.Doors) {
    self.dataFolder = dataFolder
    self.configuration = configuration
    self.doors = doors
  }

  /// Looks at everything.
  ///
  /// - Returns: a finding for each subject, in the order of ``Finding/Subject``.
  package func examine() async -> [Finding] {
    let state = await storeState()
    return [
      folderFinding(), storeFinding(state), await keyFinding(state), imageToolFinding(),
      trustStoreFinding(), await resolverFinding(),
    ]
  }

  var databasePath: String { "\(dataFolder)/core.sqlite" }
  var keyFilePath: String { "\(dataFolder)/vault.key" }

  /// Why a remedy was not applied; nothing was changed.
  package struct Refusal: Error, Equatable, Sendable {
    /// For a person.
    package let message: String

    init(_ message: String) { self.message = message }
  }
}
