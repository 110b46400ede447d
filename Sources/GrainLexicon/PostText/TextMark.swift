package import ATSyntax

/// A stretch of a person's text that means something: a link, a mention or a tag.
///
/// Found by looking at the text alone; a mention becomes a ``Facet`` only once its handle is known to
/// lead somewhere. Source: grain-product §13; FB-D1 to FB-D4.
package struct TextMark: Hashable, Sendable {
  /// What the stretch is.
  package enum Kind: Hashable, Sendable {
    case link(String)
    case mention(Handle)
    /// Without the `#`.
    case tag(String)
  }

  /// Offsets into the text's UTF-8, end excluded; the `@` or `#` included.
  package let bytes: Range<Int>
  /// What the stretch is.
  package let kind: Kind

  /// The marks of a text, by where they start. Where two would overlap, a link wins over a mention and
  /// a mention over a tag.
  package static func marks(in text: String) -> [TextMark] {
    let scan = TextScan(text)
    var found: [TextMark] = []
    for kind in [scan.links, scan.mentions, scan.tags] {
      found += kind.filter { mark in !found.contains { $0.bytes.overlaps(mark.bytes) } }
    }
    return found.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
  }

  /// The handles a text mentions, each once, in the order of their first mention.
  package static func mentions(in text: String) -> [Handle] {
    var seen: [Handle] = []
    for case .mention(let handle) in marks(in: text).map(\.kind) where !seen.contains(handle) {
      seen.append(handle)
    }
    return seen
  }
}

extension Facet {
  /// The facets of a text as it is written into a record; a mention of a handle without a known account
  /// stays plain text.
  package static func facets(of text: String, mentions: [Handle: DID]) -> [Facet] {
    TextMark.marks(in: text).compactMap { mark in
      switch mark.kind {
      case .link(let uri): Facet(bytes: mark.bytes, feature: .link(uri))
      case .tag(let tag): Facet(bytes: mark.bytes, feature: .tag(tag))
      case .mention(let handle):
        mentions[handle].map { Facet(bytes: mark.bytes, feature: .mention($0)) }
      }
    }
  }
}
