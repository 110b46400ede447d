import Foundation
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// The built `grain-core --stdio` as a process of its own, with a shell on its pipes.
final class CoreProcess: Sendable {
  let program: ChildProgram
  let shell: Shell

  private init(_ program: ChildProgram, _ shell: Shell) {
    self.program = program
    self.shell = shell
  }

  /// Starts the program; the shell has not spoken yet.
  static func start(
    dataFolder: String, _ arguments: [String] = [], http: HTTPClient
  ) async throws -> CoreProcess {
    let home = URL(filePath: dataFolder).deletingLastPathComponent().path
    return try await start(
      ["--data-dir", dataFolder] + arguments, environment: BuiltProgram.environment(home: home),
      http: http)
  }

  /// The same where the environment says where its data lies.
  static func start(
    _ arguments: [String], environment: [String: String], http: HTTPClient
  ) async throws -> CoreProcess {
    let program = try ChildProgram(
      BuiltProgram.path, ["--stdio"] + arguments, environment: environment)
    let shell = await Shell(
      input: program.output, output: program.input, browser: Browser(http: http))
    return CoreProcess(program, shell)
  }

  /// Ends it as nothing can be refused: from one instruction to the next.
  func kill() async throws {
    program.send(SIGKILL)
    #expect(try await program.status() == -SIGKILL)
    try await shell.hangUp()
  }

  /// Says goodbye and waits for the end.
  func end() async throws {
    try await shell.shutdown()
    #expect(try await program.status() == 0)
  }
}

extension World {
  /// Starts the built program against this network and says hello to it.
  func process(_ arguments: [String] = []) async throws -> CoreProcess {
    let core = try await silentProcess(arguments)
    try await core.shell.initialize()
    return core
  }

  /// Starts the built program against this network.
  func silentProcess(_ arguments: [String] = []) async throws -> CoreProcess {
    let configuration = try file("config.json", JSONValue.object(configuration).serialized())
    return try await .start(
      dataFolder: dataFolder, ["--config", configuration] + arguments, http: http)
  }
}
