import Foundation
import StrictJSON
import SystemClients

/// Plays the shell of a script to a core it starts (`grain-script run --via core`).
///
/// One runner for one run of one script.
package final class TranscriptRunner: Sendable {
  /// How scripts are run.
  package struct Options: Sendable {
    /// The core's executable.
    package var core: String
    /// The environment of the core.
    package var environment: [String: String]
    /// Whether golden files are rewritten instead of compared.
    package var updatesGoldens = false
    /// What every time a script allows is multiplied with: for machines with much else to do.
    package var patience = 1
    /// Whether golden files name what there has to be at least: for the scripts of an older revision.
    package var goldensAreSubsets = false
    /// A folder in which each core records its session; `nil` for none.
    package var recordings: String?

    /// Runs with that core.
    package init(core: String, environment: [String: String]) {
      self.core = core
      self.environment = environment
    }
  }

  let transcript: Transcript
  let options: Options
  let inbox = Inbox()
  let trail = MessageTrail()
  let goldens: GoldenFiles
  let person: ScriptedPerson
  let state: Locked<State>
  private let folder: String

  struct State: Sendable {
    var core: CoreUnderTest?
    var starts = 0
    var values: [String: JSONValue] = [:]
    var ownRequests = 0
    /// The page of the last `auth.present`, and whether the core itself waits for the callback.
    var page: (url: String, isCoreWaiting: Bool)?
    /// Whose name was typed last.
    var handle = "alice.test"
    /// Whether the page is for a new account.
    var isSigningUp = false
    var skipped: [String] = []
    /// In a recording: what it last showed of each subscription, and names it gave things that are
    /// called otherwise now.
    var recorded = StateMirror()
    var renamed: [JSONValue: JSONValue] = [:]
    var isEnded = false
  }

  /// Prepares a run; nothing is started yet.
  package init(_ transcript: Transcript, _ options: Options) {
    self.transcript = transcript
    self.options = options
    goldens = GoldenFiles(besides: transcript.path)
    let name = SystemRandom.live.bytes(8).map { String($0, radix: 36) }.joined()
    folder = FileManager.default.temporaryDirectory.appending(path: "grain-script-\(name)").path
    person = ScriptedPerson(folder: folder)
    state = Locked(State())
  }

  /// Runs the script once.
  package func run() async -> TranscriptOutcome {
    defer {
      // The system clears what is left behind.
      try? PrivateFiles.remove(folder)
    }
    var line = 1
    do {
      try PrivateFiles.makeFolder(folder)
      try start()
      for step in transcript.steps {
        line = step.number
        try await perform(step.step)
        if let fault = await inbox.mirror.fault { throw StepFailure(fault) }
      }
      if transcript.isRecording { try await catchUp(isLast: true) }
      if !state.withLock(\.isEnded) { try await end(.eof, exitCode: 0, within: nil) }
    } catch {
      // Whatever it is doing, it is over: the next script has the machine to itself.
      state.withLock(\.core)?.send(SIGKILL)
      let failure = error as? StepFailure ?? StepFailure("\(error)")
      return .failed(await report(failure, line: line))
    }
    return .passed(skipped: state.withLock(\.skipped))
  }

  /// Starts the core, again when it has ended.
  func start() throws(StepFailure) {
    var arguments = ["--stdio"] + transcript.arguments
    if transcript.restarts { arguments += ["--data-dir", "\(folder)/data"] }
    let number = state.withLock { state in
      state.starts += 1
      return state.starts
    }
    if let recordings = options.recordings {
      let name = URL(filePath: transcript.path).deletingPathExtension().lastPathComponent
      arguments += ["--record", "\(recordings)/\(name)-\(number).ndjson"]
    }
    var environment = options.environment
    environment["HOME"] = folder
    do throws(ProgramError) {
      let core = try CoreUnderTest(
        options.core, arguments, environment: environment, inbox: inbox, trail: trail)
      state.withLock { $0.core = core }
    } catch {
      throw StepFailure("\(options.core) does not start: \(error)")
    }
  }

  /// The running core.
  func core() throws(StepFailure) -> CoreUnderTest {
    guard let core = state.withLock(\.core) else { throw StepFailure("no core is running") }
    return core
  }

  /// How long a script's milliseconds are here.
  func limit(_ milliseconds: Int?, otherwise: Int) -> Duration {
    .milliseconds((milliseconds ?? otherwise) * options.patience)
  }

  private func report(_ failure: StepFailure, line: Int) async -> String {
    var lines = ["\(transcript.path):\(line): \(failure.message)"]
    lines += failure.details.map { "  \($0)" }
    lines.append("The last messages:")
    lines += trail.lines.map { "  \($0)" }
    let log = state.withLock(\.core)?.lastLogLines ?? []
    if !log.isEmpty {
      lines.append("The end of the core's log:")
      lines += log.map { "  \($0)" }
    }
    return trail.clean(lines.joined(separator: "\n"))
  }
}
