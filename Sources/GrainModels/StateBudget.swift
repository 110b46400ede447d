/// How much of a model fits into one message of the shell's: lists and texts that can outgrow it are shown in
/// part by the model, never cut by the transport (bridge-protocol §4.1).
package struct StateBudget: Equatable, Sendable {
  /// The most bytes a state may have as JSON.
  package let bytes: Int

  /// What a message has around its state, at most: names, sixty-four causes, a digest.
  private static let envelope = 6_144

  /// The budget under the largest message a shell reads.
  package init(messageBytes: Int = 1_048_576) {
    bytes = messageBytes - Self.envelope
  }

  /// A character takes no more within JSON, for each of its own bytes.
  private static let mostPerByte = 6

  /// The bytes of a text within JSON, as the bridge writes it.
  static func bytes(of text: String) -> Int {
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    return isPlain
      ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + bytes(of: $1) }
  }

  private static func bytes(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    // Escaped, so that a line stays a line for every reader.
    case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: 6
    case 0x22, 0x5C: 2
    default: UTF8.width(scalar)
    }
  }

  /// A text as a list shows it: of one that is longer than any list needs, the beginning.
  static func line(_ text: String, bytes limit: Int) -> String {
    let beginning = beginning(of: text, bytes: limit)
    return beginning == text ? text : beginning + "…"
  }

  /// Which entries of a list fit: the first ones, and one that has to be there.
  ///
  /// - Parameters:
  ///   - sizes: the bytes of each entry.
  ///   - kept: the place of the one that is there in any case.
  ///   - frame: the bytes of everything else.
  /// - Returns: the places of those that fit, ascending.
  func window(_ sizes: [Int], keeping kept: Int? = nil, frame: Int) -> [Int] {
    var left = bytes - frame - (kept.map { sizes[$0] } ?? 0)
    var shown: [Int] = []
    for (place, size) in sizes.enumerated() {
      if place != kept {
        left -= size
        // A small one behind a large one stays away too: what is shown is the beginning of the list.
        if left < 0 { continue }
      }
      shown.append(place)
    }
    return shown
  }

  /// The beginning of a text that takes no more than that many bytes; whole characters.
  static func beginning(of text: String, bytes limit: Int) -> String {
    if text.utf8.count * mostPerByte <= limit { return text }
    var used = 0
    return String(
      text.prefix { character in
        used += character.unicodeScalars.reduce(0) { $0 + bytes(of: $1) }
        return used <= limit
      })
  }
}
