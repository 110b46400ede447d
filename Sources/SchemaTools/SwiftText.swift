/// Pieces of Swift source, laid out as the formatter of the house wants them.
enum SwiftText {
  /// The longest line.
  static let width = 100

  /// The first line of every generated file.
  static let head =
    "// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas."

  /// A doc comment.
  static func comment(_ words: String, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    return TextLayout.wrapped(words, width: width - indent - 4).map { "\(pad)/// \($0)" }
  }

  /// Items with commas between them, as many on a line as fit.
  ///
  /// - Parameters:
  ///   - items: the items.
  ///   - indent: of every line.
  ///   - lead: what every line begins with, such as `case `.
  ///   - isOpen: whether a line may end with a comma and go on in the next.
  /// - Returns: the lines.
  static func filled(
    _ items: [String], indent: Int, lead: String = "", isOpen: Bool = false
  ) -> [String] {
    let pad = String(repeating: " ", count: indent) + lead
    var lines: [String] = []
    var line = ""
    for item in items {
      if line.isEmpty {
        line = pad + item
      } else if line.count + 2 + item.count + (isOpen ? 1 : 0) <= width {
        line += ", " + item
      } else {
        lines.append(line + (isOpen ? "," : ""))
        line = pad + item
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// A call or declaration whose arguments go on new lines where they do not fit.
  static func call(_ head: String, _ arguments: [String], _ tail: String, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    let line = "\(pad)\(head)(\(arguments.joined(separator: ", ")))\(tail)"
    if line.count <= width { return [line] }
    let rows = filled(arguments, indent: indent + 2, isOpen: true)
    if tail.hasSuffix("{") { return ["\(pad)\(head)("] + rows + ["\(pad))\(tail)"] }
    return ["\(pad)\(head)("] + rows.dropLast() + [(rows.last ?? "") + ")" + tail]
  }

  /// A branch of a `switch` that is a text.
  static func branch(_ name: String, text: String, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    let quoted = "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    if pad.count + 8 + name.count + quoted.count <= width {
      return ["\(pad)case .\(name): \(quoted)"]
    }
    let head = "\(pad)case .\(name):"
    if pad.count + 2 + quoted.count <= width { return [head, "\(pad)  \(quoted)"] }
    let rows = TextLayout.wrapped(text.replacing("\\", with: "\\\\"), width: width - pad.count - 5)
    let quotes = "\(pad)  \"\"\""
    return [head, quotes] + rows.dropLast().map { "\(pad)  \($0) \\" }
      + rows.suffix(1).map { "\(pad)  \($0)" } + [quotes]
  }
}
