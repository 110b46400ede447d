extension CommandLineArguments {
  private static let longestOption = 32
  private static let longestWord = 16

  /// A word that was typed, as a complaint may repeat it.
  ///
  /// What the desktop or a slip of the hand puts on a command line may be a callback with a code, or a token;
  /// a terminal's log keeps what is said about it. Repeated are options and short words of ASCII letters.
  ///
  /// - Returns: the word in quotation marks, or `else`.
  static func quoted(_ word: String, else stand: String = "that") -> String {
    guard word.utf8.count <= longestOption else { return stand }
    let isPlain =
      word.wholeMatch(of: /--[a-z]{2,15}(?:-[a-z]{2,15})*/) != nil
      || word.utf8.count <= longestWord && word.wholeMatch(of: /-?[A-Za-z]+/) != nil
    return isPlain ? "“\(word)”" : stand
  }

  /// What to say of a word that nobody knows here.
  ///
  /// - Parameters:
  ///   - word: as it was typed.
  ///   - complaint: for a word that is no address; told how to call it.
  /// - Returns: the error to throw.
  static func refusal(of word: String, _ complaint: (_ word: String) -> String) -> UsageError {
    if word.prefixMatch(of: /(?:--)?[A-Za-z][A-Za-z0-9+.\-]*:/) != nil {
      return UsageError(
        message: "an address goes to the running core with grain-core deliver URL")
    }
    return UsageError(message: complaint(quoted(word, else: "what is typed there")))
  }
}
