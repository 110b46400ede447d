/// A page as a program reads it: its message and its forms.
///
/// Reads the HTML these pages are written in, not HTML at large.
struct PageText: Sendable {
  /// A form with what it would send.
  struct Form: Sendable {
    let action: String
    /// Fields in the order of the page.
    private(set) var fields: [(String, String)]
    private let buttons: [[String: String]]
    private var otherAction: String?

    fileprivate init(_ attributes: [String: String], inputs: [Tag]) {
      action = attributes["action"] ?? ""
      fields = inputs.compactMap { tag in
        guard tag.name == "input", let name = tag.attributes["name"] else { return nil }
        let isBox = tag.attributes["type"] == "checkbox"
        guard !isBox || tag.attributes["checked"] != nil else { return nil }
        return (name, tag.attributes["value"] ?? "")
      }
      buttons = inputs.filter { $0.name == "button" }.map(\.attributes)
    }

    /// Where the form goes, the pressed button considered.
    var target: String { otherAction ?? action }

    /// Whether all it is for is to name an account remembered.
    var isEscape: Bool { action.hasSuffix("/continue") }

    func offers(_ name: String, _ value: String) -> Bool {
      buttons.contains { $0["name"] == name && $0["value"] == value }
    }

    /// Types into a field.
    mutating func fill(_ name: String, _ value: String) {
      fields = fields.map { $0.0 == name ? (name, value) : $0 }
    }

    /// Takes the tick off a box.
    mutating func untick(_ name: String, _ value: String) {
      fields.removeAll { $0.0 == name && $0.1 == value }
    }

    /// Chooses the button to submit with.
    mutating func press(_ name: String, _ value: String) {
      fields.append((name, value))
      otherAction =
        buttons.first { $0["name"] == name && $0["value"] == value }?["formaction"]
    }
  }

  /// The message of the page: its problem, the server's error, or its title.
  let message: String
  let forms: [Form]
  /// A token that this one page shows.
  let newToken: String?

  init(_ html: String) {
    let problem = html.firstMatch(of: /role="alert">([^<]*)</)?.1
    let error = html.firstMatch(of: /data-error="[^"]*">([^<]*)</)?.1
    let title = html.firstMatch(of: /<title>([^<]*)</)?.1
    message = Self.unescape(String(problem ?? error ?? title ?? "no page"))
      .replacing("\n", with: " ")
    newToken = html.firstMatch(of: /data-token>([^<]*)</).map { Self.unescape(String($0.1)) }
    forms = html.split(separator: "<form ").dropFirst().map { rest in
      let end = rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex
      let tags = Self.tags("<form " + rest[..<end])
      return Form(tags.first?.attributes ?? [:], inputs: Array(tags.dropFirst()))
    }
  }

  fileprivate struct Tag {
    let name: String
    let attributes: [String: String]
  }

  private static func tags(_ html: String) -> [Tag] {
    html.matches(of: /<(form|input|button)\b([^>]*)>/).map { match in
      var attributes: [String: String] = [:]
      for attribute in match.2.matches(of: /([a-z-]+)(?:="([^"]*)")?/) {
        attributes[String(attribute.1)] = unescape(String(attribute.2 ?? ""))
      }
      return Tag(name: String(match.1), attributes: attributes)
    }
  }

  private static func unescape(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
