/// Breaks prose into lines.
enum TextLayout {
  /// The words in lines of at most `width` characters; a longer word has a line of its own.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var rows: [String] = []
    var row = ""
    for word in text.split(separator: " ") {
      if !row.isEmpty, row.count + 1 + word.count > width {
        rows.append(row)
        row = String(word)
      } else {
        row += row.isEmpty ? word : " " + word
      }
    }
    if !row.isEmpty { rows.append(row) }
    return rows
  }
}
