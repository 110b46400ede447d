/// What was asked for on the command line.
struct BenchmarkArguments: Equatable, Sendable {
  /// The rows to measure, in the order of the catalogue; all, unless some were named.
  var rows: [String]
  /// One JSON object a line instead of words.
  var json = false
  /// Runs of each row that count.
  var runs = 5
  /// Where the peer is, when it was said.
  var peer: String?
  /// The `grain-core` to measure; `nil` for the one built beside this program.
  var core: String?
  /// Only say what there is.
  var wantsHelp = false

  /// The words do not say what to do.
  struct UsageError: Error, Equatable {
    /// What is wrong and what to type instead.
    let message: String
  }

  /// Reads the words after the program's name.
  ///
  /// - Parameters:
  ///   - words: in their order.
  ///   - known: the names of all rows.
  /// - Throws: ``UsageError`` for words that are not known here.
  init(_ words: [String], known: [String]) throws(UsageError) {
    rows = []
    var named: Set<String> = []
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--json": json = true
      case "--runs": runs = try Self.number(Self.value(of: word, &rest))
      case "--peer": peer = try Self.value(of: word, &rest)
      case "--core": core = try Self.value(of: word, &rest)
      case _ where word.hasPrefix("-"):
        throw UsageError(
          message: "there is no option \(word); try --json, --runs N, --peer PATH, --core PATH")
      case _ where known.contains(word): named.insert(word)
      default:
        throw UsageError(
          message: "there is no row “\(word)”; there are \(known.joined(separator: ", "))")
      }
    }
    rows = named.isEmpty ? known : known.filter(named.contains)
  }

  private static func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst() else {
      throw UsageError(message: "\(option) needs a value after it")
    }
    return value
  }

  private static func number(_ word: String) throws(UsageError) -> Int {
    guard let number = Int(word), (1...1000).contains(number) else {
      throw UsageError(message: "“\(word)” is no number of runs; give 1 to 1000")
    }
    return number
  }
}
