/// What `grain-schema` was asked for, read strictly: an unknown word is an error that says what to
/// type.
struct SchemaRequest: Equatable, Sendable {
  /// What to do.
  enum Command: Equatable, Sendable {
    case help, version, lint
    /// Writes the generated files, or only compares them.
    case generate(isCheck: Bool)
    /// Compares with an older revision of the repository.
    case check(base: String)
  }

  /// The words do not say what to do.
  struct UsageError: Error, Equatable, Sendable {
    /// What is wrong and what to type instead.
    let message: String
  }

  /// What to do.
  let command: Command
  /// The repository: the folder with `Schemas` and `bridge`.
  var repository = "."

  /// Reads the words after the program's name.
  ///
  /// - Throws: ``UsageError`` for words that are not known here.
  init(_ words: [String]) throws(UsageError) {
    var rest = words.dropFirst()
    var isCheck = false
    var base: String?
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func value() throws(UsageError) -> String {
        let given = parts.count > 1 ? String(parts[1]) : rest.popFirst() ?? ""
        if given.isEmpty { throw UsageError(message: "\(parts[0]) needs a value") }
        return given
      }
      switch (words.first, String(parts[0])) {
      case (_, "--repository"): repository = try value()
      case ("generate", "--check") where parts.count == 1: isCheck = true
      case ("check", "--base"): base = try value()
      default: throw UsageError(message: "“\(word)” is not known here; see --help")
      }
    }
    switch words.first {
    case "--help", "-h", "help": command = .help
    case "--version": command = .version
    case "generate": command = .generate(isCheck: isCheck)
    case "lint": command = .lint
    case "check":
      guard let base else { throw UsageError(message: "say with what: check --base REVISION") }
      command = .check(base: base)
    case nil: throw UsageError(message: "say what to do: generate, lint or check")
    case let word?:
      throw UsageError(message: "there is no command “\(word)”; try generate, lint or check")
    }
  }

  /// What `--help` prints.
  static let help = """
    grain-schema — keeps the schemas of grain-core, and what is generated from them, in order

    grain-schema generate [--check]
        writes the Swift, TypeScript and Python types of Schemas/v1; with --check nothing is
        written, and a difference is shown and ends with 1
    grain-schema lint
        judges the schemas: allowed keywords, named objects, open and closed ones, collections,
        secrets, manifest and registry
    grain-schema check --base REVISION
        compares with the schemas of another revision of the repository: one line for each change
        that an older shell or core could not live with; plays the sessions recorded there to the
        grain-core beside this program, each state held to what was named then
    grain-schema --help | --version

    --repository DIR names the folder with Schemas and bridge; without it, the one you stand in.

    Exit codes: 0 in order; 1 something to mend; 64 wrong usage; 66 schemas cannot be read.
    """
}
