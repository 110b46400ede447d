package import GrainModels
package import GrainSnapshots
package import JSONRPC
package import SystemClients

/// What a bridge is told by whoever wires it.
package struct BridgeOptions: Sendable {
  /// What the core calls itself, for people and logs.
  package var version = "0"
  /// Names this process's session; fresh each time.
  package var session = "s-0"
  /// How messages are told apart.
  package var framing = Framing.auto
  /// The core's own features beyond those the shell's effects decide.
  package var features: [String] = ["gallery.resume"]
  /// In the test profile: a digest of every applied state, so that shells can check their merging.
  package var digest: (@Sendable ([UInt8]) -> String)?
  /// What the time limits of a session are measured with.
  package var clock = SystemClock.live
  /// Whether recordings keep what is private, such as paths: in the test profile only (§10).
  package var recordsPrivate = false
  /// Told of the shell's process id, whose end means our end.
  package var watchProcess: @Sendable (Int32) -> Void = { _ in }
  /// Changes how much is logged; `false` for a level that does not exist.
  package var setLogLevel: @Sendable (_ level: String, _ target: String?) -> Bool = { _, _ in true }
  /// A line for the log: a level, a fixed message and fields without payloads.
  package var log:
    @Sendable (_ level: String, _ message: StaticString, _ fields: [String: String]) -> Void =
      { _, _, _ in }
  /// The methods only the test profile has; without them they do not exist.
  package var test: TestMethods?
  /// Sees every message, redacted, in both directions.
  package var record: (@Sendable (RecordedMessage) -> Void)?

  /// The options of a core that records nothing.
  package init() {}
}

/// How the core is opened at `initialize`, and let go of at the end.
package struct CoreOpener: Sendable {
  /// Opens the data folder and builds the models; a folder another core holds is a problem, and the
  /// shell may try again.
  package var open: @Sendable () async -> Result<CoreModels, OpeningFailure>
  /// Stops work at safe points and lets go.
  package var close: @Sendable () async -> Void

  /// An opener made of its two halves.
  package init(
    open: @escaping @Sendable () async -> Result<CoreModels, OpeningFailure>,
    close: @escaping @Sendable () async -> Void
  ) {
    self.open = open
    self.close = close
  }
}

/// Why a core could not be opened.
package struct OpeningFailure: Error, Equatable, Sendable {
  /// What the shell is told.
  package let problem: Problem

  /// A failure in the registry's words.
  package init(_ problem: Problem) {
    self.problem = problem
  }
}
