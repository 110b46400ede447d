/// What was asked for on the command line, read strictly.
enum ScriptArguments {
  static let version = "0.1.0"

  static let usage = """
    grain-script — runs transcripts against a core (bridge-protocol §13)

    grain-script run FILE… [--core PATH] [--via core] [--update] [--subset] [--patience N]
        [--record DIR]
        plays the shell of each FILE to a core it starts and checks what comes back. PATH is the
        core to start; without it, the grain-core beside this program. --update rewrites the golden
        files; with --subset a state may have more members than they name, as it may with a core
        that is newer than the script. N multiplies every time a script allows. DIR gets what the cores record.
        Steps that need a window (ui, shot) are named and skipped.
    grain-script --help | --version

    Exit codes: 0 all passed; 1 one failed; 64 wrong usage.
    """

  /// What to do.
  enum Command: Equatable {
    case help
    case version
    case run(Run)
  }

  /// `grain-script run`.
  struct Run: Equatable {
    var files: [String] = []
    var core: String?
    var updates = false
    var isSubset = false
    var patience = 1
    var recordings: String?
  }

  /// The words do not say what to do.
  struct UsageError: Error, Equatable {
    /// What is wrong and what to type instead.
    let message: String
  }

  static func read(_ words: [String]) throws(UsageError) -> Command {
    switch words.first {
    case nil, "--help", "-h", "help": return .help
    case "--version": return .version
    case "run": break
    case let word?:
      throw UsageError(message: "there is no command “\(word)”; type grain-script run FILE")
    }
    var run = Run()
    var rest = words.dropFirst()[...]
    while let word = rest.popFirst() {
      let (name, attached) = split(word)
      switch name {
      case "--help", "-h": return .help
      case "--version": return .version
      case "--update": run.updates = true
      case "--subset": run.isSubset = true
      case "--core": run.core = try value(name, attached, &rest)
      case "--record": run.recordings = try value(name, attached, &rest)
      case "--patience":
        guard let number = Int(try value(name, attached, &rest)), (1...1_000).contains(number)
        else { throw UsageError(message: "--patience takes a number from 1 to 1000") }
        run.patience = number
      case "--via": try via(try value(name, attached, &rest))
      case _ where name.hasPrefix("-"):
        throw UsageError(message: "“\(name)” is not known here; see --help")
      default: run.files.append(word)
      }
    }
    guard !run.files.isEmpty else {
      throw UsageError(message: "say which transcripts to run: grain-script run FILE…")
    }
    return .run(run)
  }

  private static func via(_ name: String) throws(UsageError) {
    switch name {
    case "core": return
    case "ui":
      throw UsageError(
        message: "--via ui drives a shell with windows, and there is none yet; use --via core")
    default: throw UsageError(message: "“\(name)” is no way to run a transcript; use --via core")
    }
  }

  private static func split(_ word: String) -> (String, String?) {
    guard word.hasPrefix("--"), let mark = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<mark]), String(word[word.index(after: mark)...]))
  }

  private static func value(
    _ option: String, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
      throw UsageError(message: "\(option) needs a value")
    }
    return value
  }
}
