/// A command line taken apart into words without a shell.
///
/// Blanks separate words. In single quotes everything is literal; in double quotes everything but
/// `\"` and `\\`. Outside of quotes a backslash makes the next character literal. No other character
/// means anything: no variable, pattern, pipe or redirection. Who wants those writes
/// `sh -c '…'`.
struct CommandWords: Equatable {
  let words: [String]

  /// Why a text is no command.
  enum Fault: Error, Equatable {
    case empty
    case openQuote(Character)
    case openEscape
  }

  init(_ text: String) throws(Fault) {
    var words: [String] = []
    // Not empty but nil between words: '' is a word of no characters.
    var word: String?
    var quote: Character?
    var rest = text[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case (" ", nil), ("\t", nil), ("\n", nil):
        if let finished = word { words.append(finished) }
        word = nil
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (let closing, let opening?) where closing == opening:
        quote = nil
      case ("\\", nil):
        guard let next = rest.popFirst() else { throw .openEscape }
        word = (word ?? "") + String(next)
      case ("\\", "\""):
        let escapes = rest.first.map { $0 == "\"" || $0 == "\\" } ?? false
        word = (word ?? "") + String(escapes ? rest.removeFirst() : character)
      default:
        word = (word ?? "") + String(character)
      }
    }
    if let quote { throw .openQuote(quote) }
    if let word { words.append(word) }
    guard let name = words.first, !name.isEmpty else { throw .empty }
    self.words = words
  }
}
