import StrictJSON

/// What the types and members of the schemas are called in Swift.
///
/// A model's state is its name with `Snapshot`, what it holds is nested in it, and an enum of a
/// property has the property's name; the exceptions are names the code had before.
struct SwiftNames {
  let tree: SchemaTree

  private static let exceptions: [String: String] = [
    "v1/common/media.json#/$defs/media": "Media",
    "v1/common/message.json#/$defs/message": "Message",
    "v1/common/problem.json#/$defs/problem": "Problem",
    "v1/common/model-header.json#/$defs/status": "ModelStatus",
    "v1/common/model-header.json#/$defs/intent": "IntentName",
    "v1/models/accounts.json#/$defs/state": "AccountListSnapshot",
    "v1/models/accounts.json#/$defs/account/properties/standing": "AccountListSnapshot.Standing",
    "v1/models/devices.json#/$defs/state": "DeviceListSnapshot",
    "v1/models/drafts.json#/$defs/state": "DraftListSnapshot",
    "v1/models/drafts.json#/$defs/draft/properties/kind": "DraftKind",
    "v1/models/gallery-publish.json#/$defs/location": "GalleryLocation",
    "v1/models/gallery-publish.json#/$defs/address": "GalleryLocation.Address",
    "v1/models/gallery-publish.json#/$defs/photo/properties/step": "PhotoStep",
  ]

  /// Enums that stay text, because the code has them from elsewhere.
  private static let texts: Set<String> = [
    "v1/models/accounts.json#/$defs/account/properties/provider",
    "v1/models/login.json#/$defs/state/properties/chosen",
  ]

  /// The name of an object or an enum; `nil` for what has none of its own.
  func name(of place: SchemaPlace) -> String? {
    if let name = Self.exceptions[place.name] { return name }
    guard !Self.texts.contains(place.name) else { return nil }
    let steps = place.pointer.split(separator: "/")
    guard place.file.hasPrefix("v1/models/"), steps.count >= 3, let last = steps.last else {
      return nil
    }
    if steps.count == 3 {
      guard place.schema["properties"] != nil else { return nil }
      if last == "state" {
        return model(of: place.file).map { Self.capitalized($0[...]) + "Snapshot" }
      }
      return owner(of: place.file).map { "\($0).\(Self.capitalized(last))" }
    }
    guard place.schema["enum"] != nil,
      let object = tree.place("\(place.file)#/$defs/\(steps[2])").flatMap(name(of:))
    else { return nil }
    return "\(object).\(Self.capitalized(last))"
  }

  /// The model a file describes.
  func model(of file: String) -> String? {
    tree.names(in: "models").first { tree.manifest["models"]?[$0]?["schema"]?.stringValue == file }
  }

  private func owner(of file: String) -> String? {
    tree.place("\(file)#/$defs/state").flatMap(name(of:))
  }

  private static func capitalized(_ word: Substring) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// The name of a member: `publishedUri` is `publishedURI`.
  static func member(_ name: String) -> String {
    for (ending, word) in [("Url", "URL"), ("Uri", "URI")] where name.hasSuffix(ending) {
      return name.dropLast(ending.count) + word
    }
    return name
  }

  /// The case of a dotted name: `frame.invalidJson` is `frameInvalidJSON`.
  static func enumCase(_ name: String) -> String {
    let words = name.split(separator: ".")
    var joined = String(words.first ?? "") + words.dropFirst().map(capitalized).joined()
    for word in ["Json", "Utf8", "Id", "Tls"] where joined.hasSuffix(word) {
      joined = joined.dropLast(word.count) + word.uppercased()
    }
    return joined
  }
}
