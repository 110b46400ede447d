import StrictJSON

/// A member of a generated Swift value.
struct SwiftMember {
  /// What it is called.
  let name: String
  /// What it is called in JSON.
  let wireName: String
  /// With the question mark where it may be absent.
  let type: String
  let words: String
  let isOptional: Bool
  /// The member with the keys, of a collection.
  let order: String?
  /// What it is unless given.
  let value: String?

  /// The lines that read it.
  var decoding: [String] {
    if let order {
      let read = ["OrderedMap.self", "order: .\(order)", "values: .\(name)"]
      guard isOptional else {
        return SwiftText.call("\(name) = try container.decode", read, "", indent: 4)
      }
      return [
        "    \(name) =", "      container.contains(.\(name)) || container.contains(.\(order))",
        "      ? try container.decode(\(read.joined(separator: ", "))) : [:]",
      ]
    }
    let plain = isOptional ? String(type.dropLast()) : type
    return SwiftText.call(
      "\(name) = try container.\(isOptional ? "decodeIfPresent" : "decode")",
      ["\(plain).self", "forKey: .\(name)"], "", indent: 4)
  }

  /// The lines that write it.
  var encoding: [String] {
    if let order {
      let write = SwiftText.call(
        "try container.encode", [name, "order: .\(order)", "values: .\(name)"], "",
        indent: isOptional ? 6 : 4)
      return isOptional ? ["    if !\(name).isEmpty {"] + write + ["    }"] : write
    }
    return SwiftText.call(
      "try container.\(isOptional ? "encodeIfPresent" : "encode")", [name, "forKey: .\(name)"], "",
      indent: 4)
  }
}

extension SwiftWriter {
  /// The members of an object; a map and its order are one.
  func members(of place: SchemaPlace, in owner: String) -> [SwiftMember] {
    let required = Set(place.required)
    let orders = Set(
      place.properties.compactMap { name, member in
        tree.target(of: member)?.schema["x-grain-collection"]?.stringValue
      })
    return place.properties.filter { !orders.contains($0.name) }.map { name, member in
      let target = tree.target(of: member)?.schema
      let order = target?["x-grain-collection"]?.stringValue
      let isOptional = !required.contains(name)
      let type = self.type(of: member, in: owner)
      return SwiftMember(
        name: SwiftNames.member(name), wireName: name,
        type: isOptional && order == nil ? type + "?" : type,
        words: words(of: member), isOptional: isOptional,
        order: order,
        value: order != nil
          ? "[:]" : isOptional ? "nil" : Self.defaults["\(owner).\(name)"])
    }
  }

  /// What a member is; what each value of an enum means stands with the enum.
  private func words(of member: SchemaPlace) -> String {
    let words = tree.annotation("description", of: member)?.stringValue ?? ""
    guard let target = tree.target(of: member), target.schema["enum"] != nil,
      names.name(of: target) != nil, let colon = words.firstIndex(of: ":")
    else { return words }
    return words[..<colon] + "."
  }

  /// What an empty form, a bare photo and a plain account are made of.
  private static let defaults = [
    "LoginSnapshot.handle": "\"\"", "GalleryPublishSnapshot.title": "\"\"",
    "GalleryPublishSnapshot.description": "\"\"", "GalleryPublishSnapshot.labels": "[]",
    "GalleryPublishSnapshot.Photo.alt": "\"\"", "AccountListSnapshot.Account.unavailable": "[]",
    "AccountListSnapshot.Account.can": "[]",
  ]

  private func type(of place: SchemaPlace, in owner: String) -> String {
    guard let target = tree.target(of: place) else { return "PlainValue" }
    if let name = names.name(of: target) { return Self.short(name, in: owner) }
    switch target.schema.typeNames.first {
    case "string"?: return "String"
    case "integer"?: return "Int"
    case "number"?: return "Double"
    case "boolean"?: return "Bool"
    case "array"?:
      let items = target.schema["items"].map { type(of: target.inside("items", $0), in: owner) }
      return "[\(items ?? "PlainValue")]"
    default:
      guard let rest = target.schema["additionalProperties"], rest.objectValue != nil else {
        return "[String: PlainValue]"
      }
      let value = type(of: target.inside("additionalProperties", rest), in: owner)
      return target.schema["x-grain-collection"] == nil
        ? "[String: \(value)]" : "OrderedMap<\(value)>"
    }
  }

  /// A name as it reads inside another type.
  private static func short(_ name: String, in owner: String) -> String {
    var scope = owner.split(separator: ".")
    while !scope.isEmpty {
      let prefix = scope.joined(separator: ".") + "."
      if name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
      scope = scope.dropLast()
    }
    return name
  }
}
