/// Words that came from a server, made fit to be shown and logged.
package enum ServerText {
  /// One line without control characters and without what must stay hidden.
  ///
  /// Control and formatting characters become spaces (a terminal must not obey them), every text of
  /// `secrets` becomes an ellipsis (a server may echo a token, FB-A34), and the rest is cut at `limit`
  /// characters. Secrets shorter than eight bytes would hide ordinary words and are left alone.
  package static func clean(_ text: String, hiding secrets: [String] = [], limit: Int) -> String {
    var text = text
    for secret in secrets where secret.utf8.count >= 8 {
      text = text.replacing(secret, with: "…")
    }
    let plain = text.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
        .unassigned:
        Character(" ")
      default: Character(scalar)
      }
    }
    let line = String(plain).split(separator: " ").joined(separator: " ")
    return line.count <= limit ? line : line.prefix(limit - 1) + "…"
  }

  /// A name somebody has given themselves: one line, at most 256 Unicode scalars.
  ///
  /// What joins letters and emoji stays, other than in ``clean(_:hiding:limit:)``; control characters and
  /// what turns the direction of the text around the name become spaces.
  package static func name(_ text: String) -> String {
    let blank: Unicode.Scalar = " "
    let plain = text.unicodeScalars.prefix(longestName).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: blank
      case .format where scalar.properties.isBidiControl: blank
      default: scalar
      }
    }
    var line = String.UnicodeScalarView()
    line.append(contentsOf: plain)
    return String(line).split(separator: " ").joined(separator: " ")
  }

  private static let longestName = 256
}
