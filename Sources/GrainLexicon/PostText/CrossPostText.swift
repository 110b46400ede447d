package import ATSyntax

/// The words of a cross-post: content, place, and the line that leads back to Grain.
///
/// Parts stand apart by an empty line; a missing part leaves none. Whatever the parts, the whole keeps
/// to the limits of the record type, which the account's server checks (G117), and its last line, by
/// which the AppView finds the post, is never cut. Source: grain-product §13; FB-D5, FB-D16.
package struct CrossPostText: Hashable, Sendable {
  /// The whole text.
  package let text: String
  /// Where the content was cut, in bytes of UTF-8: what touches this point is no longer whole.
  private let cut: Int?

  /// - Parameters:
  ///   - title: the gallery's title; empty for a story.
  ///   - description: the gallery's description, empty when there is none.
  ///   - place: the line of ``PlaceLine``.
  ///   - url: the gallery's or story's page.
  package init(title: String, description: String, place: String?, url: String) {
    let content = [title, description].map(\.trimmed).filter { !$0.isEmpty }
      .joined(separator: ", ")
    // No place needs more than a third of a post.
    let place = place.map { Self.cut($0, to: TextLimit(bytes: 1000, graphemes: 100)).text }
    let rest = [place, "#GrainSocial \(url)"].compactMap(\.self).joined(separator: "\n\n")
    guard !content.isEmpty else {
      (text, cut) = (rest, nil)
      return
    }
    let tail = "\n\n" + rest
    let whole = TextLimit.post
    let (head, isCut) = Self.cut(
      content,
      to: TextLimit(
        bytes: whole.bytes - tail.utf8.count, graphemes: (whole.graphemes ?? 0) - tail.count))
    text = head + tail
    cut = isCut ? head.utf8.count - "…".utf8.count : nil
  }

  /// The facets of the text; what was cut in two is left out, since it would lead elsewhere.
  package func facets(mentions: [Handle: DID]) -> [Facet] {
    Facet.facets(of: text, mentions: mentions).filter { facet in
      guard let cut else { return true }
      return facet.bytes.upperBound < cut || facet.bytes.lowerBound > cut
    }
  }

  /// The longest beginning that keeps to a limit with a final `…`, cut between two characters.
  private static func cut(_ text: String, to limit: TextLimit) -> (text: String, isCut: Bool) {
    if limit.admits(text) { return (text, false) }
    let room = (limit.graphemes ?? .max) - 1
    var bytes = limit.bytes - "…".utf8.count
    var kept = Substring()
    for index in text.indices.prefix(max(0, room)) {
      bytes -= text[index].utf8.count
      if bytes < 0 { break }
      kept = text[...index]
    }
    return (String(kept).trimmed + "…", true)
  }
}
