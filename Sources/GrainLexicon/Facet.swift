package import ATSyntax
package import StrictJSON

/// `app.bsky.richtext.facet`: what a stretch of a text means.
package struct Facet: Hashable, Sendable {
  /// What the stretch is.
  package enum Feature: Hashable, Sendable {
    case mention(DID)
    case link(String)
    /// Without the `#`.
    case tag(String)
  }

  /// Offsets into the text's UTF-8, end excluded.
  package let bytes: Range<Int>
  /// What the stretch is.
  package let feature: Feature

  /// Marks a stretch of a text.
  package init(bytes: Range<Int>, feature: Feature) {
    self.bytes = bytes
    self.feature = feature
  }

  /// As records carry it: one feature each.
  package var json: JSONValue {
    let type = "app.bsky.richtext.facet"
    let feature: JSONValue =
      switch feature {
      case .mention(let did):
        ["$type": .string("\(type)#mention"), "did": .string(did.rawValue)]
      case .link(let uri): ["$type": .string("\(type)#link"), "uri": .string(uri)]
      case .tag(let tag): ["$type": .string("\(type)#tag"), "tag": .string(tag)]
      }
    return [
      "index": [
        "byteStart": .number(JSONNumber(bytes.lowerBound)),
        "byteEnd": .number(JSONNumber(bytes.upperBound)),
      ],
      "features": [feature],
    ]
  }

  /// Reads the facets of a foreign record; a feature of an unknown type is skipped, never fatal,
  /// and so is a facet that points nowhere.
  package static func read(_ json: JSONValue?) -> [Facet] {
    (json?.arrayValue ?? []).flatMap { facet -> [Facet] in
      guard let start = facet["index"]?["byteStart"]?.intValue,
        let end = facet["index"]?["byteEnd"]?.intValue, start >= 0, end >= start
      else { return [] }
      return (facet["features"]?.arrayValue ?? []).compactMap(Feature.init(json:))
        .map { Facet(bytes: start..<end, feature: $0) }
    }
  }
}

extension Facet.Feature {
  fileprivate init?(json: JSONValue) {
    switch json["$type"]?.stringValue {
    case "app.bsky.richtext.facet#mention":
      // A mention of something that is not a DID is as good as an unknown feature.
      guard let did = try? DID(json["did"]?.stringValue ?? "") else { return nil }
      self = .mention(did)
    case "app.bsky.richtext.facet#link":
      guard let uri = json["uri"]?.stringValue else { return nil }
      self = .link(uri)
    case "app.bsky.richtext.facet#tag":
      guard let tag = json["tag"]?.stringValue else { return nil }
      self = .tag(tag)
    default: return nil
    }
  }
}
