import SystemClients

/// What was asked for on the command line, read strictly: an unknown word is an error that says
/// what to type.
struct CommandLineArguments: Equatable {
  /// What to do.
  enum Command: Equatable {
    case help
    case version
    case stdio(StdioOptions)
    case demo(DemoOptions)
    case sandbox(SandboxOptions)
    case doctor(DoctorOptions)
    case deliver(DeliverOptions)
    case schemas(folder: String)
  }

  /// Where configuration and servers come from.
  enum Profile: String, CaseIterable {
    case prod, sandbox, test
  }

  /// `grain-core --stdio`.
  struct StdioOptions: Equatable {
    var profile = Profile.prod
    var configuration: String?
    var dataFolder: String?
    var framing = "auto"
    var record: String?
    var logLevel: LogLevel?
    var keyCommand: String?
    var seed: UInt64?
  }

  /// `grain-core demo`.
  struct DemoOptions: Equatable {
    var photos: String?
    var json = false
    var record: String?
    var proofs: String?
  }

  /// `grain-core sandbox`.
  struct SandboxOptions: Equatable {
    var port: Int?
    var tls: TLSOptions?
    var data: String?
    var seed: UInt64?
    var json = false
  }

  /// `grain-core sandbox --tls`.
  struct TLSOptions: Equatable {
    var authorityFile: String?
    var domain: String?
    var address: String?
  }

  /// The words do not say what to do.
  struct UsageError: Error, Equatable {
    /// What is wrong and what to type instead.
    let message: String
  }

  let command: Command

  /// Reads the words after the program's name.
  ///
  /// - Throws: ``UsageError`` for words that are not known here.
  init(_ words: [String]) throws(UsageError) {
    var reader = WordReader(words)
    switch words.first {
    case nil, "--help", "-h", "help": command = .help
    case "--version": command = .version
    case "demo":
      reader.skip()
      command = try Self.demo(&reader)
    case "sandbox":
      reader.skip()
      command = try Self.sandbox(&reader)
    case "doctor":
      reader.skip()
      command = try Self.doctor(&reader)
    case "deliver":
      reader.skip()
      command = try Self.deliver(&reader)
    case let word? where word == "--schemas" || word.hasPrefix("--schemas="):
      command = try Self.schemas(&reader)
    case let word? where !word.hasPrefix("-"):
      throw Self.refusal(of: word) {
        "\($0) is no command; try demo, sandbox, doctor, deliver or --stdio"
      }
    default: command = try Self.stdio(&reader)
    }
    if let option = reader.repeated {
      throw UsageError(message: "\(option) is given twice; say it once")
    }
  }

  private static func stdio(_ reader: inout WordReader) throws(UsageError) -> Command {
    var options = StdioOptions()
    var isStdio = false
    while let word = reader.next() {
      switch word {
      case "--stdio": isStdio = true
      case "--profile": options.profile = try reader.profile(of: word)
      case "--config": options.configuration = try reader.value(of: word)
      case "--data-dir": options.dataFolder = try reader.value(of: word)
      case "--framing":
        options.framing = try reader.value(of: word)
        guard ["auto", "lines", "headers"].contains(options.framing) else {
          throw UsageError(
            message: "\(quoted(options.framing)) is no framing; use auto, lines or headers")
        }
      case "--record": options.record = try reader.value(of: word)
      case "--log-level": options.logLevel = try level(reader.value(of: word))
      case "--key-command": options.keyCommand = try reader.value(of: word)
      case "--seed": options.seed = try reader.number(of: word)
      case "--help", "-h": return .help
      case "--version": return .version
      default: throw reader.unknown(word)
      }
    }
    guard isStdio else {
      throw UsageError(
        message: "say what to do: --stdio, --schemas, demo, sandbox, doctor or deliver")
    }
    return .stdio(options)
  }

  private static func level(_ name: String) throws(UsageError) -> LogLevel {
    guard let level = LogLevel(rawValue: name) else {
      throw UsageError(
        message: "\(quoted(name)) is no log level; use trace, debug, info, warn, error or fault")
    }
    return level
  }

  /// What `--log-level` says, else `GRAIN_LOG`, else `info`.
  ///
  /// - Throws: for a word in `GRAIN_LOG` that is no level, where that counts.
  static func logLevel(
    _ option: LogLevel?, _ environment: [String: String]
  ) throws(UsageError) -> LogLevel {
    if let option { return option }
    guard let name = environment["GRAIN_LOG"], !name.isEmpty else { return .info }
    do throws(UsageError) {
      return try level(name)
    } catch {
      throw UsageError(message: "GRAIN_LOG: \(error.message)")
    }
  }

  private static func schemas(_ reader: inout WordReader) throws(UsageError) -> Command {
    let option = reader.next() ?? "--schemas"
    let folder = try reader.value(of: option)
    guard let word = reader.next() else { return .schemas(folder: folder) }
    throw reader.unknown(word)
  }

  private static func demo(_ reader: inout WordReader) throws(UsageError) -> Command {
    var options = DemoOptions()
    while let word = reader.next() {
      switch word {
      case "--photos": options.photos = try reader.value(of: word)
      case "--json": options.json = true
      case "--record": options.record = try reader.value(of: word)
      case "--proofs": options.proofs = try reader.value(of: word)
      case "--help", "-h": return .help
      case "--version": return .version
      default: throw reader.unknown(word)
      }
    }
    return .demo(options)
  }

  private static func sandbox(_ reader: inout WordReader) throws(UsageError) -> Command {
    var options = SandboxOptions()
    var tls = TLSOptions()
    var isSecure = false
    while let word = reader.next() {
      switch word {
      case "--port":
        let port: Int = try reader.number(of: word)
        guard (1...65_535).contains(port) else {
          throw UsageError(message: "--port takes a number from 1 to 65535")
        }
        options.port = port
      case "--tls": isSecure = true
      case "--ca": tls.authorityFile = try reader.value(of: word)
      case "--domain": tls.domain = try reader.value(of: word)
      case "--address": tls.address = try reader.value(of: word)
      case "--data": options.data = try reader.value(of: word)
      case "--seed": options.seed = try reader.number(of: word)
      case "--json": options.json = true
      case "--help", "-h": return .help
      case "--version": return .version
      default: throw reader.unknown(word)
      }
    }
    guard isSecure || tls == TLSOptions() else {
      throw UsageError(message: "--ca, --domain and --address go with --tls")
    }
    if isSecure { options.tls = tls }
    return .sandbox(options)
  }
}

/// Walks the words and takes the values of options, written `--name value` or `--name=value`.
struct WordReader {
  private var words: ArraySlice<String>
  private var attached: String?
  private var seen: Set<String> = []
  /// An option that came a second time: which of the two was meant, nobody can say.
  private(set) var repeated: String?

  init(_ words: [String]) { self.words = words[...] }

  mutating func skip() { words = words.dropFirst() }

  mutating func next() -> String? {
    guard let word = words.popFirst() else { return nil }
    guard word.hasPrefix("--"), let mark = word.firstIndex(of: "=") else {
      attached = nil
      return noticed(word)
    }
    attached = String(word[word.index(after: mark)...])
    return noticed(String(word[..<mark]))
  }

  private mutating func noticed(_ word: String) -> String {
    if word.hasPrefix("--"), !seen.insert(word).inserted { repeated = repeated ?? word }
    return word
  }

  /// A word as it stands: options are told from texts, which may have anything in them.
  enum Whole {
    case option(String)
    case text(String)
  }

  /// The next word; only one that begins with two hyphens is cut at `=`.
  mutating func nextWhole() -> Whole? {
    let isOption = words.first?.hasPrefix("--") ?? false
    return next().map { isOption ? .option($0) : .text($0) }
  }

  mutating func value(of option: String) throws(CommandLineArguments.UsageError) -> String {
    if let attached, !attached.isEmpty { return attached }
    guard attached == nil, let value = words.popFirst(), !value.isEmpty else {
      throw CommandLineArguments.UsageError(message: "\(option) needs a value")
    }
    return value
  }

  mutating func number<T: FixedWidthInteger>(
    of option: String
  ) throws(CommandLineArguments.UsageError) -> T {
    let text = try value(of: option)
    guard let number = T(text) else {
      throw CommandLineArguments.UsageError(message: "\(option) takes a whole number")
    }
    return number
  }

  mutating func profile(
    of option: String
  ) throws(CommandLineArguments.UsageError) -> CommandLineArguments.Profile {
    let name = try value(of: option)
    guard let profile = CommandLineArguments.Profile(rawValue: name) else {
      throw CommandLineArguments.UsageError(
        message: "\(CommandLineArguments.quoted(name)) is no profile; use prod, sandbox or test")
    }
    return profile
  }

  func unknown(_ word: String) -> CommandLineArguments.UsageError {
    CommandLineArguments.refusal(of: word) { "\($0) is not known here; see --help" }
  }
}
