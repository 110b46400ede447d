/// Words for the person, never as prose alone: the shell translates `key`, or shows `fallback`.
package struct Message: Hashable, Sendable {
  /// The name of the sentence in the shell's catalogue.
  package var key: String
  /// What the sentence mentions, as text or whole numbers.
  package var params: [String: PlainValue]
  /// The sentence in English, complete.
  package var fallback: String

  /// A message with its parameters already put into `fallback`.
  package init(key: String, params: [String: PlainValue] = [:], fallback: String) {
    self.key = key
    self.params = params
    self.fallback = fallback
  }

  /// A message whose fallback is made from a template such as `"No account answers to @{handle}."`
  ///
  /// A name the parameters do not have becomes an ellipsis.
  package init(key: String, params: [String: PlainValue] = [:], template: String) {
    self.init(key: key, params: params, fallback: Self.filled(template, with: params))
  }

  private static func filled(_ template: String, with params: [String: PlainValue]) -> String {
    var parts = template.split(separator: "{", omittingEmptySubsequences: false)
    var text = String(parts.removeFirst())
    for part in parts {
      guard let close = part.firstIndex(of: "}") else {
        text += "{" + part
        continue
      }
      text += params[String(part[..<close])]?.description ?? "…"
      text += part[part.index(after: close)...]
    }
    return text
  }
}

extension Message: Codable {
  private enum CodingKeys: String, CodingKey { case key, params, fallback }

  /// Reads the three members.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    key = try container.decode(String.self, forKey: .key)
    params = try container.decode([String: PlainValue].self, forKey: .params)
    fallback = try container.decode(String.self, forKey: .fallback)
  }

  /// Writes the members in schema order, the parameters sorted by name.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(SortedMembers(params), forKey: .params)
    try container.encode(fallback, forKey: .fallback)
  }
}
