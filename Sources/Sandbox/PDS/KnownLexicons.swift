import ATSyntax
import GrainLexicon
import StrictJSON

/// The record types a reference PDS validates by itself (wire §11.5).
///
/// All twenty are known by name; the ones the core writes are checked member by member, the others
/// pass. The checks are this server's own: a client's must not be asked.
enum KnownLexicons {
  static let names: Set<String> = [
    "app.bsky.actor.profile", "app.bsky.actor.status", "app.bsky.feed.generator",
    "app.bsky.feed.like", "app.bsky.feed.post", "app.bsky.feed.postgate", "app.bsky.feed.repost",
    "app.bsky.feed.threadgate", "app.bsky.graph.block", "app.bsky.graph.follow",
    "app.bsky.graph.list", "app.bsky.graph.listblock", "app.bsky.graph.listitem",
    "app.bsky.graph.starterpack", "app.bsky.graph.verification", "app.bsky.labeler.service",
    "app.bsky.notification.declaration", "chat.bsky.actor.declaration",
    "com.atproto.lexicon.schema", "com.germnetwork.declaration",
  ]

  /// What is wrong with a record, in the reference validator's manner; `nil` for a good one.
  static func fault(of record: JSONObject, as collection: NSID) -> String? {
    switch collection {
    case CollectionNames.blueskyPost: postFault(record)
    case CollectionNames.blueskyProfile: profileFault(record)
    default: nil
    }
  }

  private static func postFault(_ record: JSONObject) -> String? {
    guard let text = record["text"] else { return "Missing required key \"text\" at $" }
    guard let created = record["createdAt"] else {
      return "Missing required key \"createdAt\" at $"
    }
    return lengthFault(text, "$.text", bytes: 3000, graphemes: 300)
      ?? dateFault(created, "$.createdAt")
      ?? listFault(record["tags"], "$.tags", maximum: 8) {
        lengthFault($0, $1, bytes: 640, graphemes: 64)
      }
      ?? listFault(record["langs"], "$.langs", maximum: 3) {
        languageFault($0, $1)
      }
      ?? listFault(record["facets"], "$.facets", maximum: .max) { facetFault($0, $1) }
      ?? embedFault(record["embed"])
      ?? labelFault(record["labels"])
  }

  private static func labelFault(_ labels: JSONValue?) -> String? {
    guard let labels, labels["$type"] == "com.atproto.label.defs#selfLabels" else { return nil }
    guard let values = labels["values"] else {
      return "Missing required key \"values\" at $.labels"
    }
    return listFault(values, "$.labels.values", maximum: 10) { value, path in
      guard let text = value["val"] else { return "Missing required key \"val\" at \(path)" }
      return lengthFault(text, "\(path).val", bytes: 128, graphemes: 128)
    }
  }

  private static func profileFault(_ record: JSONObject) -> String? {
    (record["displayName"].flatMap { lengthFault($0, "$.displayName", bytes: 640, graphemes: 64) })
      ?? record["description"].flatMap {
        lengthFault($0, "$.description", bytes: 2560, graphemes: 256)
      }
      ?? record["avatar"].flatMap {
        blobFault($0, "$.avatar", accept: ["image/png", "image/jpeg"], bytes: 1_000_000)
      }
  }

  private static func embedFault(_ embed: JSONValue?) -> String? {
    guard let embed, embed["$type"] == "app.bsky.embed.images" else { return nil }
    guard let images = embed["images"] else { return "Missing required key \"images\" at $.embed" }
    return listFault(images, "$.embed.images", maximum: 4) { image, path in
      guard let blob = image["image"] else { return "Missing required key \"image\" at \(path)" }
      guard image["alt"]?.stringValue != nil else {
        return "Missing required key \"alt\" at \(path)"
      }
      if let ratio = image["aspectRatio"] {
        for side in ["width", "height"] where (ratio[side]?.intValue ?? 0) < 1 {
          return "integer too small (minimum 1) at \(path).aspectRatio.\(side)"
        }
      }
      return blobFault(blob, "\(path).image", accept: ["image/"], bytes: 2_000_000)
    }
  }

  private static func facetFault(_ facet: JSONValue, _ path: String) -> String? {
    for side in ["byteStart", "byteEnd"] where (facet["index"]?[side]?.intValue ?? -1) < 0 {
      return "Missing required key \"\(side)\" at \(path).index"
    }
    guard let features = facet["features"] else {
      return "Missing required key \"features\" at \(path)"
    }
    return listFault(features, "\(path).features", maximum: .max) { featureFault($0, $1) }
  }

  private static func featureFault(_ feature: JSONValue, _ path: String) -> String? {
    func member(_ name: String, _ fault: (String) -> String?) -> String? {
      guard let text = feature[name]?.stringValue else {
        return "Missing required key \"\(name)\" at \(path)"
      }
      return fault(text)
    }
    switch feature["$type"]?.stringValue {
    case "app.bsky.richtext.facet#mention":
      return member("did") { text in
        // What exactly is wrong with a DID is not reported.
        (try? DID(text)) == nil ? "Invalid DID (got \"\(text)\") at \(path).did" : nil
      }
    case "app.bsky.richtext.facet#link":
      return member("uri") { text in
        text.wholeMatch(of: /\w+:(\/\/)?[^\s\/]\S*/) == nil
          ? "Invalid URI (got \"\(text)\") at \(path).uri" : nil
      }
    case "app.bsky.richtext.facet#tag":
      return member("tag") {
        lengthFault(.string($0), "\(path).tag", bytes: 640, graphemes: 64)
      }
    default: return nil
    }
  }

  private static func listFault(
    _ list: JSONValue?, _ path: String, maximum: Int, _ fault: (JSONValue, String) -> String?
  ) -> String? {
    guard let list else { return nil }
    guard let elements = list.arrayValue else {
      return "Expected array value type (got \(list.typeName)) at \(path)"
    }
    guard elements.count <= maximum else {
      return "array too big (maximum \(maximum), got \(elements.count)) at \(path)"
    }
    for (index, element) in elements.enumerated() {
      if let found = fault(element, "\(path)[\(index)]") { return found }
    }
    return nil
  }

  private static func lengthFault(
    _ value: JSONValue, _ path: String, bytes: Int, graphemes: Int
  ) -> String? {
    guard let text = value.stringValue else {
      return "Expected string value type (got \(value.typeName)) at \(path)"
    }
    guard text.utf8.count <= bytes else {
      return "string too big (maximum \(bytes), got \(text.utf8.count)) at \(path)"
    }
    return text.count > graphemes
      ? "grapheme too big (maximum \(graphemes), got \(text.count)) at \(path)" : nil
  }

  private static func dateFault(_ value: JSONValue, _ path: String) -> String? {
    let text = value.stringValue ?? value.typeName
    // What exactly is wrong with a date is not reported.
    return (try? ATDateTime(text)) == nil ? "Invalid datetime (got \"\(text)\") at \(path)" : nil
  }

  private static func languageFault(_ value: JSONValue, _ path: String) -> String? {
    let text = value.stringValue ?? value.typeName
    // As for dates.
    return (try? LanguageTag(text)) == nil ? "Invalid language (got \"\(text)\") at \(path)" : nil
  }

  private static func blobFault(
    _ value: JSONValue, _ path: String, accept: [String], bytes: Int
  ) -> String? {
    guard let blob = BlobReference(json: value) else {
      return "Expected blob value type (got \(value.typeName)) at \(path)"
    }
    guard accept.contains(where: blob.mimeType.hasPrefix) else {
      return "mime type \"\(blob.mimeType)\" is not accepted at \(path)"
    }
    return blob.size > bytes ? "blob too big (maximum \(bytes), got \(blob.size)) at \(path)" : nil
  }
}
