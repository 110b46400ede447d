import Foundation
import Glibc
import GrainTestSupport
import SystemClients
import Testing

@Suite("Running other programs")
struct ProgramRunnerTests {
  private func shell(_ script: String, input: [UInt8] = [], limit: Duration = .seconds(20))
    async throws(ProgramError) -> ProgramResult
  {
    try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"],
        input: input, timeLimit: limit))
  }

  @Test("output, error output and status come back")
  func result() async throws {
    let result = try await shell("echo out; echo err >&2; exit 3")
    #expect(
      result
        == ProgramResult(status: 3, output: Array("out\n".utf8), errorOutput: Array("err\n".utf8)))
  }

  @Test("a program ended by a signal has its negative number as status")
  func signalled() async throws {
    #expect(try await shell("kill -TERM $$").status == -SIGTERM)
  }

  @Test("a large input and output pass without a deadlock")
  func large() async throws {
    let input = [UInt8](repeating: 65, count: 900_000)
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(executable: "/bin/cat", input: input))
    #expect(result.output == input)
  }

  @Test("a program that does not read its input is no error")
  func unreadInput() async throws {
    let result = try await shell("exec 0<&-; echo done", input: .init(repeating: 1, count: 500_000))
    #expect(result.output == Array("done\n".utf8))
  }

  @Test("the environment is exactly the one given, the arguments are not seen by a shell")
  func cleanEnvironment() async throws {
    let environment = try await ProgramRunner.live.run(
      ProgramInvocation(executable: "/usr/bin/env", environment: ["A": "1", "B": "x y"]))
    #expect(environment.output == Array("A=1\nB=x y\n".utf8))
    let echo = try await ProgramRunner.live.run(
      ProgramInvocation(executable: "/bin/echo", arguments: ["$HOME;", "* `id`"]))
    #expect(echo.output == Array("$HOME; * `id`\n".utf8))
  }

  @Test("a program starts in the folder it is given")
  func workingFolder() async throws {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(executable: "/bin/pwd", workingFolder: "/usr"))
    #expect(result.output == Array("/usr\n".utf8))
    await #expect(throws: ProgramError.self) {
      try await ProgramRunner.live.run(
        ProgramInvocation(executable: "/bin/pwd", workingFolder: "/no/such/folder"))
    }
  }

  @Test("descriptors that were left open are not passed on")
  func descriptors() async throws {
    let null = open("/dev/null", O_RDONLY)
    let leaked = fcntl(null, F_DUPFD, 200)  // Without close-on-exec.
    defer {
      close(null)
      close(leaked)
    }
    let result = try await shell("for n in /proc/$$/fd/*; do echo ${n##*/}; done")
    let open = String(decoding: result.output, as: UTF8.self).split(separator: "\n").map { Int($0) }
    #expect(open.starts(with: [0, 1, 2]))
    #expect(open.allSatisfy { ($0 ?? 200) < 200 })
  }

  @Test("signals we ignore are at their default in the program")
  func signals() async throws {
    signal(SIGPIPE, SIG_IGN)
    let result = try await shell("sed -n 's/SigIgn:.//p' /proc/self/status")
    let digits = String(decoding: result.output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let ignored = try #require(UInt64(digits, radix: 16))
    #expect(ignored & (1 << (SIGPIPE - 1)) == 0)
  }

  @Test("at the time limit the program and its descendants are killed")
  func timeLimit() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("pid")
    await #expect(throws: ProgramError.timedOut) {
      try await shell("sleep 100 & echo $! > \(file); wait", limit: .milliseconds(400))
    }
    let digits = String(decoding: try PrivateFiles.read(file, limit: 20), as: UTF8.self)
    let child = try #require(pid_t(digits.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Only the program itself is waited for: the kernel ends its descendants when they next run.
    let deadline = ContinuousClock.now + .seconds(5)
    while !isGone(child), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(isGone(child))
  }

  @Test("cancelling the task kills the program")
  func cancellation() async throws {
    let task = Task { try await shell("exec sleep 100") }
    task.cancel()
    await #expect(throws: ProgramError.cancelled) { try await task.value }
  }

  @Test("a program that writes too much is killed; error output is cut")
  func outputLimit() async throws {
    await #expect(throws: ProgramError.outputTooLarge) {
      try await ProgramRunner.live.run(
        ProgramInvocation(executable: "/usr/bin/yes", outputLimit: 1000))
    }
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: "/bin/sh", arguments: ["-c", "printf 12345678 >&2; printf 1234"],
        outputLimit: 4))
    #expect(result.output == Array("1234".utf8))
    #expect(result.errorOutput == Array("1234".utf8))
  }

  @Test("a process left behind with the pipes open does not hold the answer up")
  func leftBehind() async throws {
    let result = try await shell("echo done; sleep 60 & echo $! >&2")
    #expect(result.output == Array("done\n".utf8))
    let digits = String(decoding: result.errorOutput, as: UTF8.self)
    let child = try #require(pid_t(digits.trimmingCharacters(in: .whitespacesAndNewlines)))
    kill(child, SIGKILL)
  }

  @Test(
    "what is no absolute path of an executable file is not found",
    arguments: ["/no/such/program", "sh", "/etc/passwd", "/tmp"])
  func notFound(path: String) async {
    await #expect(throws: ProgramError.notFound(path)) {
      try await ProgramRunner.live.run(ProgramInvocation(executable: path))
    }
  }

  @Test("a file that is no program fails to start")
  func noProgram() async throws {
    let folder = try TemporaryFolder()
    let path = try await folder.makeProgram("text", "not a program")
    await #expect(throws: ProgramError.failedToStart(errno: ENOEXEC)) {
      try await ProgramRunner.live.run(ProgramInvocation(executable: path))
    }
  }

  @Test("programs are found by name in PATH, never by a path")
  func find() {
    let path = ProgramRunner.live.find("sh")
    #expect(path?.hasPrefix("/") == true && path?.hasSuffix("/sh") == true)
    #expect(ProgramRunner.live.find("no-such-program-anywhere") == nil)
    #expect(ProgramRunner.live.find("../bin/sh") == nil)
    #expect(ProgramRunner.live.find("") == nil)
  }

  @Test("two hundred runs leave no descriptor open")
  func leaks() async throws {
    func openDescriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
    _ = try await shell("true")
    let before = try openDescriptors()
    for _ in 0..<200 { _ = try await shell("true") }
    // Other tests run beside this one and have descriptors of their own.
    #expect(try openDescriptors() < before + 100)
  }

  /// Whether a killed process is gone; as somebody else's child it may be a zombie for a moment.
  private func isGone(_ process: pid_t) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true  // No such process.
    }
    return status.split(separator: ")").last?.hasPrefix(" Z") == true
  }
}
