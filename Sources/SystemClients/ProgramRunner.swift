import Foundation
import Glibc

/// One run of a program: no shell, no inherited environment, no inherited descriptors.
package struct ProgramInvocation: Equatable, Sendable {
  /// The absolute path of the program.
  package var executable: String
  /// What follows the program's name.
  package var arguments: [String]
  /// The whole environment.
  package var environment: [String: String]
  /// The folder the program starts in; `nil` for the core's own.
  package var workingFolder: String?
  /// What the program reads on its standard input, which then ends.
  package var input: [UInt8]
  /// After this time the program and its descendants are killed.
  package var timeLimit: Duration
  /// The most bytes accepted on standard output; as many of standard error are kept.
  package var outputLimit: Int

  /// An invocation; without limits given, ten seconds and 1 MiB.
  package init(
    executable: String, arguments: [String] = [], environment: [String: String] = [:],
    workingFolder: String? = nil, input: [UInt8] = [], timeLimit: Duration = .seconds(10),
    outputLimit: Int = 1 << 20
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.workingFolder = workingFolder
    self.input = input
    self.timeLimit = timeLimit
    self.outputLimit = outputLimit
  }
}

/// What a program left behind.
package struct ProgramResult: Equatable, Sendable {
  /// The exit status; minus the signal's number if a signal ended the program.
  package var status: Int32
  /// Standard output.
  package var output: [UInt8]
  /// Standard error, cut at the output limit.
  package var errorOutput: [UInt8]

  /// A result, for doubles of the runner.
  package init(status: Int32, output: [UInt8] = [], errorOutput: [UInt8] = []) {
    self.status = status
    self.output = output
    self.errorOutput = errorOutput
  }
}

/// Why a program gave no result.
package enum ProgramError: Error, Equatable, Sendable {
  /// There is no executable file at that absolute path.
  case notFound(String)
  /// The time limit passed; the program was killed.
  case timedOut
  /// The system refused to start it.
  case failedToStart(errno: Int32)
  /// It wrote more than the output limit; it was killed.
  case outputTooLarge
  /// The calling task was cancelled; the program was killed.
  case cancelled
}

/// Runs other programs of this machine (image tools, the desktop's key store).
package struct ProgramRunner: Sendable {
  /// Runs a program to its end.
  package var run: @Sendable (ProgramInvocation) async throws(ProgramError) -> ProgramResult

  /// The absolute path of a program by its name, searched in the absolute folders of `PATH`.
  package var find: @Sendable (String) -> String?

  /// A runner made of two closures.
  package init(
    run: @escaping @Sendable (ProgramInvocation) async throws(ProgramError) -> ProgramResult,
    find: @escaping @Sendable (String) -> String?
  ) {
    self.run = run
    self.find = find
  }

  /// Starts real programs.
  package static let live = ProgramRunner(
    run: { invocation async throws(ProgramError) in try await runProgram(invocation) },
    find: { name in
      findProgram(name, path: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    })

  private static func runProgram(
    _ invocation: ProgramInvocation
  ) async throws(ProgramError) -> ProgramResult {
    guard isExecutable(invocation.executable) else { throw .notFound(invocation.executable) }
    let process = try ChildProcess(invocation)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // The loop blocks, so it gets a thread of its own rather than one of the shared pool.
        Thread.detachNewThread { continuation.resume(returning: process.communicate()) }
      }
    } onCancel: {
      process.cancel()
    }
    return try result.get()
  }

  static func findProgram(_ name: String, path: String) -> String? {
    guard !name.isEmpty, !name.contains("/") else { return nil }
    return path.split(separator: ":")
      // A relative folder would depend on where the core was started.
      .filter { $0.hasPrefix("/") }
      .map { "\($0)/\(name)" }
      .first(where: isExecutable)
  }

  private static func isExecutable(_ path: String) -> Bool {
    var facts = stat()
    return path.hasPrefix("/") && stat(path, &facts) == 0
      && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
