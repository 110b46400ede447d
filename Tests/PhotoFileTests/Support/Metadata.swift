import Foundation

/// What exiftool says about one file: tags named `Group:Tag`, values unformatted.
struct Metadata {
  private let tags: [String: Any]

  var names: [String] { tags.keys.sorted() }

  /// Reads a whole folder in one run; keys are paths below it.
  static func read(_ tool: PictureTool, folder: String) async throws -> [(String, Metadata)] {
    let output = try await tool.output(["-j", "-n", "-G1", "-r", folder])
    let files = try JSONSerialization.jsonObject(with: output) as? [[String: Any]] ?? []
    return files.compactMap { tags in
      guard let path = tags["SourceFile"] as? String else { return nil }
      return (String(path.dropFirst(folder.count + 1)), Metadata(tags: tags))
    }
  }

  /// The first of these tags that is there, as a whole number other than exiftool's own zeros.
  func number(_ names: String...) -> Int? {
    names.lazy.compactMap { (tags[$0] as? NSNumber)?.intValue }.first
  }

  func value(_ name: String) -> Double? { (tags[name] as? NSNumber)?.doubleValue }

  /// Trimmed, as we trim.
  func text(_ name: String) -> String? {
    let text = (tags[name] as? String ?? value(name).map { "\($0)" })?
      .trimmingCharacters(in: .whitespaces)
    return text?.isEmpty == true ? nil : text
  }
}
