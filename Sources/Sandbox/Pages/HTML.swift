/// Text made safe to stand in a page, between tags or in a quoted attribute.
enum HTML {
  static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A form field the person does not see.
  static func hidden(_ name: String, _ value: String) -> String {
    "<input type=\"hidden\" name=\"\(escape(name))\" value=\"\(escape(value))\">"
  }
}
