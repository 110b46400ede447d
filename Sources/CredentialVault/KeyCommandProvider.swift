package import OpenSSLCrypto
package import SystemClients

/// A key that a command of the person's prints: a password manager, a hardware token, a file on
/// another disk.
///
/// The command is run without a shell, in the environment it was given, and must end by itself with
/// status 0. Its standard output, without one line end at the end, is the key: 16 bytes to 4 KiB of
/// any content. It is asked at every start and never told anything.
package struct KeyCommandProvider: KeyProvider {
  /// Recorded in the vault.
  package let name = "command"
  /// Whoever names a command does not want another place.
  package let isMandatory = true
  private let words: [String]
  private let programs: ProgramRunner
  private let environment: [String: String]
  private let timeLimit: Duration

  /// - Parameters:
  ///   - command: the command line: words separated by blanks; `'…'` is literal, `"…"` too but for
  ///     `\"` and `\\`; elsewhere a backslash makes the next character literal; nothing else has a
  ///     meaning. The first word is an absolute path or a name in `PATH`.
  ///   - programs: runs it.
  ///   - environment: the whole environment it gets.
  ///   - timeLimit: long enough for a person to type a pass phrase.
  /// - Throws: `KeyCommandError` where the text is no command.
  package init(
    command: String, programs: ProgramRunner, environment: [String: String],
    timeLimit: Duration = .seconds(120)
  ) throws(KeyCommandError) {
    do throws(CommandWords.Fault) {
      words = try CommandWords(command).words
    } catch {
      throw KeyCommandError(error)
    }
    self.programs = programs
    self.environment = environment
    self.timeLimit = timeLimit
  }

  /// What the command prints; the same for every vault.
  package func load(vault: String) async throws(VaultError) -> Secret? {
    let output = try await run()
    guard output.status == 0 else {
      throw unavailable("the key command ended with status \(output.status)")
    }
    var key = output.output[...]
    if key.last == UInt8(ascii: "\n") {
      key = key.dropLast()
      if key.last == UInt8(ascii: "\r") { key = key.dropLast() }
    }
    guard key.count >= 16 else {
      throw unavailable("the key command printed \(key.count) bytes; a key has 16 at least")
    }
    return Secret(Array(key))
  }

  /// The command alone makes keys.
  package func create(vault: String, random: SystemRandom) throws(VaultError) -> Secret {
    throw unavailable("the key command has no key")
  }

  /// What the command prints belongs to the person, and no vault in particular.
  package func isOccupied() -> Bool { false }

  /// Nothing: the key is not ours to remove.
  package func remove(vault: String) {}

  private func run() async throws(VaultError) -> ProgramResult {
    let name = words[0]
    guard let path = name.hasPrefix("/") ? name : programs.find(name) else {
      throw unavailable("there is no program “\(name)”")
    }
    do throws(ProgramError) {
      return try await programs.run(
        ProgramInvocation(
          executable: path, arguments: Array(words.dropFirst()), environment: environment,
          timeLimit: timeLimit, outputLimit: 4096 + 2))
    } catch {
      switch error {
      case .notFound: throw unavailable("there is no program “\(name)”")
      case .timedOut:
        throw unavailable("the key command did not end within \(timeLimit.components.seconds) s")
      case .failedToStart(let code):
        throw unavailable("the key command did not start (error \(code))")
      case .outputTooLarge: throw unavailable("the key command printed more than 4 KiB")
      case .cancelled: throw unavailable("the key command was stopped")
      }
    }
  }

  private func unavailable(_ reason: String) -> VaultError {
    .keyUnavailable(provider: name, reason: reason)
  }
}

/// Why a text is no key command, in words for whoever typed it.
package struct KeyCommandError: Error, Equatable, Sendable {
  /// What is wrong with it.
  package let message: String

  init(_ fault: CommandWords.Fault) {
    message =
      switch fault {
      case .empty: "the command is empty"
      case .openQuote(let quote): "a \(quote) is not closed"
      case .openEscape: "there is nothing behind the last backslash"
      }
  }
}
