/// Names the commonest files that are no pictures, so a refusal can say what was found.
enum FileGuess {
  /// A few words for the content, or `nil` when it is nothing well known.
  static func name(_ file: ByteWindow) -> String? {
    for (name, magic) in known where file.holds(Array(magic.utf8), at: 0) { return name }
    guard isText(file) else { return nil }
    let head = file.text(at: 0, count: min(file.count, 512)).lowercased()
    if head.contains("<svg") { return "SVG drawing" }
    if head.contains("<html") || head.contains("<!doctype html") { return "web page" }
    return "text"
  }

  private static let known: [(String, String)] = [
    ("PDF document", "%PDF-"), ("ZIP archive", "PK\u{3}\u{4}"), ("Photoshop document", "8BPS"),
    ("program", "\u{7F}ELF"), ("audio", "ID3"), ("audio", "OggS"), ("audio", "fLaC"),
    ("SQLite database", "SQLite format 3"),
  ]

  /// True when the head holds no control characters but tab and line ends.
  private static func isText(_ file: ByteWindow) -> Bool {
    (0..<min(file.count, 512)).allSatisfy { offset in
      guard let byte = file[offset] else { return false }
      return byte >= 0x20 && byte != 0x7F || (0x09...0x0D).contains(byte)
    }
  }
}
