import ATSyntax

/// A text cut into characters as a person sees them, each with its place in the UTF-8.
struct TextScan {
  private let characters: [Character]
  /// Where each character starts, and at last where the text ends.
  private let offsets: [Int]

  init(_ text: String) {
    characters = Array(text)
    var offset = 0
    offsets =
      characters.map { character in
        defer { offset += character.utf8.count }
        return offset
      } + [text.utf8.count]
  }

  // MARK: Links

  /// `http://` or `https://` up to white space or one of `<>[]()`, without the sentence's own `.,;:!?`.
  var links: [TextMark] {
    marks { start in
      guard let body = ["https://", "http://"].lazy.compactMap({ after($0, at: start) }).first
      else { return nil }
      var end = body
      while end < characters.count, !characters[end].endsLink { end += 1 }
      while end > body, ".,;:!?".contains(characters[end - 1]) { end -= 1 }
      // A server accepts nothing that starts with one more slash (wire §11.5).
      guard end > body, characters[body] != "/" else { return nil }
      return (end, .link(text(start..<end)))
    }
  }

  private func after(_ scheme: String, at start: Int) -> Int? {
    let end = start + scheme.count
    guard end <= characters.count, text(start..<end).lowercased() == scheme else { return nil }
    return end
  }

  // MARK: Mentions

  /// `@` and a handle; not in the middle of a word, which is where e-mail addresses have it.
  var mentions: [TextMark] {
    marks { start in
      guard characters[start] == "@", !isInWord(start) else { return nil }
      var end = start + 1
      while end < characters.count, characters[end].isHandlePart { end += 1 }
      while end > start + 1, ".-".contains(characters[end - 1]) { end -= 1 }
      do throws(SyntaxError) {
        return (end, .mention(try Handle(text(start + 1..<end))))
      } catch {
        // What is no handle is no mention.
        return nil
      }
    }
  }

  private func isInWord(_ start: Int) -> Bool {
    guard start > 0 else { return false }
    let before = characters[start - 1]
    return before.isLetter || before.isNumber || "@._-+/".contains(before)
  }

  // MARK: Tags

  /// `#` or `＃` where a word starts, then a run without spaces that holds something which is neither
  /// digit nor punctuation; punctuation at its end belongs to the sentence.
  var tags: [TextMark] {
    marks { start in
      guard "#＃".contains(characters[start]), startsWord(start) else { return nil }
      var end = start + 1
      while end < characters.count, !characters[end].endsTag { end += 1 }
      while end > start + 1, characters[end - 1].isMarkOfPunctuation { end -= 1 }
      let value = text(start + 1..<end)
      guard value.contains(where: { !$0.isNumber && !$0.isMarkOfPunctuation }),
        value.first != "#", TextLimit.tag.admits(value)
      else { return nil }
      return (end, .tag(value))
    }
  }

  private func startsWord(_ start: Int) -> Bool {
    start == 0 || characters[start - 1].isWhitespace || characters[start - 1].opensSomething
  }

  // MARK: Steps

  /// Looks at every character for the start of a mark; the search goes on behind a mark.
  private func marks(_ look: (Int) -> (end: Int, kind: TextMark.Kind)?) -> [TextMark] {
    var found: [TextMark] = []
    var index = 0
    while index < characters.count {
      if let (end, kind) = look(index) {
        found.append(TextMark(bytes: offsets[index]..<offsets[end], kind: kind))
        index = end
      } else {
        index += 1
      }
    }
    return found
  }

  private func text(_ range: Range<Int>) -> String { String(characters[range]) }
}

extension Character {
  fileprivate var endsLink: Bool { isWhitespace || "<>[]()".contains(self) }

  fileprivate var isHandlePart: Bool {
    isASCII && (isLetter || isNumber || self == "." || self == "-")
  }

  /// White space, and the invisible characters that hold words apart or together.
  fileprivate var endsTag: Bool {
    isWhitespace || unicodeScalars.first.map(Self.separators.contains) == true
  }

  private static let separators: Set<Unicode.Scalar> = [
    "\u{00AD}", "\u{200A}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}",
  ]

  /// The Unicode categories P*, which is more than `isPunctuation` of a whole cluster.
  fileprivate var isMarkOfPunctuation: Bool {
    switch unicodeScalars.first?.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      unicodeScalars.count == 1
    default: false
    }
  }

  fileprivate var opensSomething: Bool {
    switch unicodeScalars.first?.properties.generalCategory {
    case .openPunctuation, .initialPunctuation: true
    default: self == "\"" || self == "'"
    }
  }
}
