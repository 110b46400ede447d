import CredentialVault
import Foundation
import OpenSSLCrypto
import SystemClients
import Testing

@Suite("A key command")
struct KeyCommandTests {
  private let home: Home

  init() throws { home = try Home() }

  private func provider(
    _ command: String, within limit: Duration = .seconds(60)
  ) throws -> KeyCommandProvider {
    try KeyCommandProvider(
      command: command, programs: .live,
      environment: ["PATH": "/usr/bin:/bin", "KEY": "from the environment"], timeLimit: limit)
  }

  /// Why the command gave no key.
  private func reason(_ command: String, within limit: Duration = .seconds(60)) async -> String? {
    let met = await failure { _ = try await provider(command, within: limit).load(vault: "v") }
    guard case .keyUnavailable("command", let reason) = met else { return nil }
    return reason
  }

  @Test(
    "its output is the key, without one line end",
    arguments: [
      ("printf 0123456789abcdef", "0123456789abcdef"),
      ("echo 0123456789abcdef", "0123456789abcdef"),
      (#"printf '0123456789abcdef\r\n'"#, "0123456789abcdef"),
      (#"printf '0123456789abcdef\n\n'"#, "0123456789abcdef\n"),
      (#"sh -c 'printf %s "$KEY"'"#, "from the environment"),
      ("printf '%s' '  spaces are kept  '", "  spaces are kept  "),
    ])
  func output(command: String, key: String) async throws {
    #expect(try await provider(command).load(vault: "v") == Secret(text: key))
  }

  @Test(
    "no shell reads it", .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/echo")))
  func noShell() async throws {
    let key = try await provider("/bin/echo $KEY | cat > x; true").load(vault: "v")
    #expect(key == Secret(text: "$KEY | cat > x; true"))
  }

  @Test(
    "a command that fails, says too little or too much gives no key, and the reason",
    arguments: [
      ("sh -c 'echo 0123456789abcdef; exit 3'", "the key command ended with status 3"),
      ("true", "the key command printed 0 bytes; a key has 16 at least"),
      ("echo short", "the key command printed 5 bytes; a key has 16 at least"),
      ("head -c 5000 /dev/zero", "the key command printed more than 4 KiB"),
      ("no-such-program-anywhere x", "there is no program “no-such-program-anywhere”"),
      ("/no/such/program x", "there is no program “/no/such/program”"),
      ("sh -c 'kill -9 $$'", "the key command ended with status -9"),
    ])
  func failures(command: String, expected: String) async {
    #expect(await reason(command) == expected)
  }

  @Test("a command that never ends is given up (FB-E6)")
  func endless() async {
    let met = await reason("sleep 600", within: .milliseconds(300))
    #expect(met == "the key command did not end within 0 s")
  }

  @Test("a text that is no command says what is wrong with it")
  func noCommand() {
    #expect(throws: KeyCommandError.self) { try provider("pass 'show") }
    do throws(KeyCommandError) {
      _ = try KeyCommandProvider(command: "a 'b", programs: .live, environment: [:])
      Issue.record("expected an error")
    } catch {
      #expect(error.message == "a ' is not closed")
    }
  }

  @Test("it is never replaced by something else, at the making of a vault or later (FB-E6)")
  func mandatory() async throws {
    let file = KeyFileProvider(path: home.key)
    func open(_ command: String) async throws -> CredentialVault {
      try await CredentialVault(
        path: home.store, providers: [provider(command), file], random: .live)
    }
    guard case .keyUnavailable("command", _) = await failure({ _ = try await open("false") })
    else {
      Issue.record("a vault was made with another key")
      return
    }
    let vault = try await open("echo correct horse battery")
    #expect(vault.provider == "command")
    try await vault.put("a", kind: "k", secret: Secret(text: "x"))
    #expect(
      await failure { _ = try await open("echo another horse battery") }
        == .wrongKey(provider: "command"))
    #expect(
      try await open("echo correct horse battery").get("a", kind: "k") == Secret(text: "x"))
    #expect(try !file.isOccupied())
    // What the command printed is nowhere on the disk.
    let key = Data("correct horse".utf8)
    #expect(try home.contents().values.allSatisfy { $0.range(of: key) == nil })
  }
}
