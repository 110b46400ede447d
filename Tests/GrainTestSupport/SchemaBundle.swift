import Foundation
package import StrictJSON
import SystemClients

/// `Schemas/v1` as the tests read it: parsed strictly, members in the order written.
package struct SchemaBundle {
  /// One example: a value and the schema it belongs to.
  package struct Example: Sendable {
    /// The file it stands in, without the folder.
    package let file: String
    /// What it shows; of an invalid one, why it is.
    package let note: String
    /// A schema of the bundle, with a pointer into it where needed.
    package let schema: String
    /// Of an invalid one, the place at fault, as a JSON Pointer.
    package let place: String?
    /// The example itself.
    package let value: JSONValue
  }

  /// A reference that leads nowhere.
  package struct LeadsNowhere: Error {
    let reference: String
  }

  private static let folder = SharedData.repositoryRoot.appending(path: "Schemas")
  private static let documents = Locked<[String: JSONValue]>([:])

  /// A file of the bundle, such as `v1/manifest.json`.
  package static func document(_ name: String) throws -> JSONValue {
    if let known = documents.withLock({ $0[name] }) { return known }
    let document = try JSONParser.parse(
      Data(contentsOf: folder.appending(path: name)), limits: .document)
    documents.withLock { $0[name] = document }
    return document
  }

  /// The examples in one folder below `v1/examples`.
  package static func examples(in part: String) throws -> [Example] {
    let place = folder.appending(path: "v1/examples/\(part)")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    return try names.filter { $0.hasSuffix(".json") }.flatMap { name in
      let entries = try document("v1/examples/\(part)/\(name)").arrayValue ?? []
      return entries.compactMap { entry -> Example? in
        guard let schema = entry["schema"]?.stringValue, let value = entry["value"] else {
          return nil
        }
        return Example(
          file: name, note: (entry["note"] ?? entry["why"])?.stringValue ?? "", schema: schema,
          place: entry["at"]?.stringValue, value: value)
      }
    }
  }

  /// The steps of each recorded session, by file name.
  package static func sessions() throws -> [(name: String, steps: [JSONValue])] {
    let place = folder.appending(path: "v1/examples/sessions")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    return try names.map { name in
      let lines = try Data(contentsOf: place.appending(path: name)).split(separator: 0x0A)
      return (name, try lines.map { try JSONParser.parse($0) })
    }
  }

  /// The schema a reference leads to, and the file it stands in.
  package static func resolve(
    _ reference: String, in file: String
  ) throws -> (JSONValue, file: String) {
    let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
    var target = file
    if let path = parts.first, !path.isEmpty {
      let base = URL(filePath: "/\(file)").deletingLastPathComponent()
      target = String(base.appending(path: path).standardized.path.dropFirst())
    }
    let pointer = parts.count > 1 ? String(parts[1]) : ""
    guard let found = try document(target)[pointer: pointer] else {
      throw LeadsNowhere(reference: reference)
    }
    return (found, target)
  }
}
