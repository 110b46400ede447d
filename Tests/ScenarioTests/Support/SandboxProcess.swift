import ATSyntax
import Foundation
import HTTPTransport
import StrictJSON
import SystemClients
import Testing

/// The built `grain-core sandbox` as a process of its own.
final class SandboxProcess: Sendable {
  /// The line it prints once it serves.
  let announcement: JSONValue
  /// What a core needs to meet it.
  let configuration: JSONObject
  /// Reaches it as a browser or a stranger would.
  let http: HTTPClient
  private let guardian: ChildProgram
  private let isGoing = Locked(false)

  /// Starts it over a database file and waits until it serves.
  init(database: String, _ options: [String] = []) async throws {
    // The shell in between ends the sandbox when we are gone, in whatever way.
    let guardian = try ChildProgram(
      "/bin/sh",
      [
        "-c", #""$0" "$@" & child=$!; cat >/dev/null; kill $child; wait $child"#, BuiltProgram.path,
        "sandbox", "--json", "--data", database,
      ] + options,
      environment: BuiltProgram.environment(
        home: URL(filePath: database).deletingLastPathComponent().path))
    self.guardian = guardian
    let line = try await within("the sandbox's addresses") { Self.line(from: guardian.output) }
    announcement = try JSONParser.parse(line, limits: .document)
    configuration = try #require(announcement["configuration"]?.objectValue)
    let hosts = configuration["hosts"]?.objectValue?.members ?? []
    http = .live(
      NetworkPolicy(
        allowInsecureLoopback: configuration["allowInsecureLoopback"] == true,
        hosts: Dictionary(
          uniqueKeysWithValues: hosts.compactMap { name, base in
            base.stringValue.flatMap { URL(string: $0) }.map { (name, $0) }
          }), trustAnchors: configuration["trustAnchors"]?.stringValue),
      userAgent: "scenario", clock: .live)
  }

  deinit {
    // A guardian that is killed before it has ended the sandbox would leave it behind.
    if letGo() { Task { [guardian] in _ = try await guardian.status() } }
  }

  /// Tells the guardian to end it; `false` when it was told before.
  private func letGo() -> Bool {
    isGoing.withLock { isGoing in
      guard !isGoing else { return false }
      close(guardian.input)
      isGoing = true
      return true
    }
  }

  /// Stops it in an orderly way.
  func stop() async throws {
    _ = letGo()
    #expect(try await guardian.status() == 0)
    close(guardian.output)
  }

  /// The repository of an account of the home server.
  func repository(_ did: String) async throws -> Repository {
    let hosts = configuration["hosts"]
    let server = try #require(hosts?["alice.test"]?.stringValue.flatMap { URL(string: $0) })
    return try await Repository.read(try DID(did), at: server, http: http)
  }

  private static func line(from descriptor: Int32) -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
    return line
  }
}
