import Foundation
import GrainTestSupport
import StrictJSON

/// `Schemas/v1` as the tests read it: parsed strictly, members in the order written.
struct SchemaBundle {
  /// One example: a value and the schema it belongs to.
  struct Example: Sendable {
    let file: String
    let note: String
    let schema: String
    let value: JSONValue
  }

  static let folder = SharedData.repositoryRoot.appending(path: "Schemas")

  /// A file of the bundle, such as `v1/manifest.json`.
  static func document(_ name: String) throws -> JSONValue {
    try JSONParser.parse(Data(contentsOf: folder.appending(path: name)), limits: .document)
  }

  /// The valid examples in one folder below `v1/examples`.
  static func examples(in part: String) throws -> [Example] {
    let place = folder.appending(path: "v1/examples/\(part)")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    return try names.filter { $0.hasSuffix(".json") }.flatMap { name in
      let entries = try document("v1/examples/\(part)/\(name)").arrayValue ?? []
      return entries.compactMap { entry -> Example? in
        guard let schema = entry["schema"]?.stringValue, let value = entry["value"] else {
          return nil
        }
        return Example(
          file: name, note: entry["note"]?.stringValue ?? "", schema: schema, value: value)
      }
    }
  }

  /// The steps of each recorded session, by file name.
  static func sessions() throws -> [(name: String, steps: [JSONValue])] {
    let place = folder.appending(path: "v1/examples/sessions")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    return try names.map { name in
      let lines = try Data(contentsOf: place.appending(path: name)).split(separator: 0x0A)
      return (name, try lines.map { try JSONParser.parse($0) })
    }
  }

  /// The schema a reference leads to, and the file it stands in.
  static func resolve(_ reference: String, in file: String) throws -> (JSONValue, file: String) {
    let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
    var target = file
    if let path = parts.first, !path.isEmpty {
      let base = URL(filePath: "/\(file)").deletingLastPathComponent()
      target = String(base.appending(path: path).standardized.path.dropFirst())
    }
    let pointer = parts.count > 1 ? String(parts[1]) : ""
    let found = try document(target)[pointer: pointer]
    struct LeadsNowhere: Error { let reference: String }
    guard let found else { throw LeadsNowhere(reference: reference) }
    return (found, target)
  }
}
