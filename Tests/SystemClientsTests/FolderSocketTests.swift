import Foundation
import GrainTestSupport
import Glibc
import SystemClients
import Testing

@Suite("A socket in a private folder", .timeLimit(.minutes(1)))
struct FolderSocketTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func ask(
    _ text: String, in place: String? = nil, within time: Duration = .seconds(10)
  ) async throws -> String {
    let place = place ?? folder.path
    let answer = try await onThread { () throws(FolderSocket.AskFailure) in
      try FolderSocket.ask(in: place, named: "s", Array(text.utf8), within: time)
    }
    return String(decoding: answer, as: UTF8.self)
  }

  private func echoing(
    in place: String? = nil, _ limits: FolderSocket.Limits = FolderSocket.Limits()
  ) throws -> FolderSocket {
    let socket = try FolderSocket.listen(in: place ?? folder.path, named: "s", limits: limits)
    socket.serve { Array("heard ".utf8) + $0 }
    return socket
  }

  @Test("takes each message once and answers it; nobody else may come near it (design §4)")
  func answers() async throws {
    let socket = try echoing()
    #expect(try await ask("one") == "heard one")
    #expect(try await ask("two") == "heard two")
    var facts = stat()
    #expect(stat(folder.path("s"), &facts) == 0)
    #expect(facts.st_mode & S_IFMT == S_IFSOCK && facts.st_mode & 0o777 == 0o600)
    socket.close()
    #expect(!FileManager.default.fileExists(atPath: folder.path("s")))
    await #expect(throws: FolderSocket.AskFailure.nobody) { try await ask("three") }
  }

  @Test("works in a folder whose path is longer than a socket's address can be (unix(7))")
  func longPath() async throws {
    let deep = folder.path(
      (0..<6).map { "\($0)-\(String(repeating: "x", count: 60))" }
        .joined(separator: "/"))
    try PrivateFiles.makeFolder(deep)
    #expect(deep.utf8.count > 300)
    let socket = try echoing(in: deep)
    #expect(try await ask("far away", in: deep) == "heard far away")
    socket.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: deep).isEmpty)
  }

  @Test("who comes before anybody takes messages waits a moment")
  func early() async throws {
    let socket = try FolderSocket.listen(in: folder.path, named: "s")
    async let answer = ask("early")
    await Task.yield()
    socket.serve { Array("heard ".utf8) + $0 }
    #expect(try await answer == "heard early")
    socket.close()
  }

  @Test("a socket that a dead process left is nobody's, and is replaced")
  func stale() async throws {
    let dead = try FolderSocket.listen(in: folder.path, named: "dead")
    try FileManager.default.moveItem(atPath: folder.path("dead"), toPath: folder.path("s"))
    dead.close()
    await #expect(throws: FolderSocket.AskFailure.nobody) { try await ask("hello?") }
    let socket = try echoing()
    #expect(try await ask("hello") == "heard hello")
    socket.close()
  }

  @Test("where there is no folder, no socket, or something else, there is nobody")
  func nobody() async throws {
    await #expect(throws: FolderSocket.AskFailure.nobody) { try await ask("x") }
    await #expect(throws: FolderSocket.AskFailure.nobody) {
      try await ask("x", in: folder.path("missing"))
    }
    let long = folder.path(String(repeating: "y", count: 200))
    await #expect(throws: FolderSocket.AskFailure.nobody) { try await ask("x", in: long) }
    try Data().write(to: URL(filePath: folder.path("s")))
    await #expect(throws: FolderSocket.AskFailure.nobody) { try await ask("x") }
  }

  @Test("who says too much, or nothing for too long, is hung up on; others are served meanwhile")
  func limits() async throws {
    let socket = try echoing(
      FolderSocket.Limits(messageBytes: 100, time: .milliseconds(300), connections: 3))
    await #expect(throws: FolderSocket.AskFailure.silent) {
      try await ask(String(repeating: "z", count: 1_000_000))
    }
    let idle = try (0..<6).map { _ in try Self.connect(folder.path("s")) }
    #expect(try await ask("still there") == "heard still there")
    for descriptor in idle {
      var byte: UInt8 = 0
      #expect(recv(descriptor, &byte, 1, 0) == 0)
      Glibc.close(descriptor)
    }
    socket.close()
  }

  @Test(
    "another user is hung up on unheard, even where the folder lets them in",
    .enabled(if: OtherUser.isPossible, Comment(rawValue: OtherUser.skipReason)))
  func otherUser() async throws {
    let heard = Recorder<[UInt8]>()
    let socket = try FolderSocket.listen(in: folder.path, named: "s")
    socket.serve {
      heard.record($0)
      return Array("heard".utf8)
    }
    #expect(chmod(folder.path, 0o755) == 0 && chmod(folder.path("s"), 0o666) == 0)
    #expect(try await OtherUser.say("secret", to: folder.path("s")) == "")
    #expect(heard.values.isEmpty)
    #expect(try await ask("ours") == "heard")
    socket.close()
  }

  private static func connect(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(code == 0)
    return descriptor
  }
}

/// Somebody else on this machine: possible for root, with a Python.
private enum OtherUser {
  static let isPossible =
    geteuid() == 0 && [python, setpriv].allSatisfy(FileManager.default.isExecutableFile)
  static let skipReason = "only root can be another user here, with setpriv and python3"

  private static let python = "/usr/bin/python3"
  private static let setpriv = "/usr/bin/setpriv"
  private static let script = """
    import socket, sys
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    try:
        s.sendall(sys.argv[2].encode())
        s.shutdown(socket.SHUT_WR)
        print(s.recv(100).decode(), end="")
    except OSError:
        pass
    """

  /// What the socket answers another user.
  static func say(_ text: String, to path: String) async throws -> String {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: setpriv,
        arguments: [
          "--reuid=65534", "--regid=65534", "--clear-groups", python, "-c", script, path, text,
        ], environment: ["PATH": "/usr/bin:/bin"], timeLimit: .seconds(30)))
    #expect(
      result.status == 0, Comment(rawValue: String(decoding: result.errorOutput, as: UTF8.self)))
    return String(decoding: result.output, as: UTF8.self)
  }
}
