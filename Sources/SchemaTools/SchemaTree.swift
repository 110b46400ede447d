import Foundation
import StrictJSON

/// The schemas of one revision, parsed: `Schemas/v1` as bridge-protocol §12 lays it out.
struct SchemaTree: Sendable {
  /// The dialect every schema names.
  static let dialect = "https://json-schema.org/draft/2020-12/schema"
  /// What stands in front of a schema's name in its `$id`; never fetched.
  static let root = "https://grain-core.invalid/"
  /// The folders whose files are schemas.
  static let folders = ["common", "models", "intents", "effects", "protocol"]

  /// Every schema by its name below the root, such as `v1/models/login.json`.
  let schemas: [String: JSONValue]
  /// What there is: models, intents, effects, features, methods.
  let manifest: JSONValue
  /// The registry of errors, in its order.
  let errors: [JSONValue]

  /// Reads the files of a bundle.
  ///
  /// - Parameter files: the bytes by name below the schema folder, such as `v1/manifest.json`; others
  ///   than schemas, manifest and registry are passed over.
  /// - Throws: ``SchemaTreeError``, when the bundle cannot be judged at all.
  init(files: [String: [UInt8]]) throws(SchemaTreeError) {
    var schemas: [String: JSONValue] = [:]
    for (name, bytes) in files where Self.isSchema(name) {
      schemas[name] = try Self.parse(name, bytes)
    }
    self.schemas = schemas
    manifest = try Self.document("v1/manifest.json", in: files)
    errors = try Self.document("v1/errors.json", in: files)["errors"]?.arrayValue ?? []
  }

  /// Reads a bundle from a folder.
  ///
  /// - Parameter folder: the folder that holds `v1`.
  /// - Throws: ``SchemaTreeError``, when a file is missing or no JSON.
  init(folder: URL) throws(SchemaTreeError) {
    var files: [String: [UInt8]] = [:]
    for name in ["v1/manifest.json", "v1/errors.json"] + Self.names(in: folder) {
      do {
        files[name] = [UInt8](try Data(contentsOf: folder.appending(path: name)))
      } catch {
        throw .missing(name)
      }
    }
    try self.init(files: files)
  }

  /// Whether a file of that name is a schema.
  static func isSchema(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return parts.count == 3 && parts[0] == "v1" && folders.contains(String(parts[1]))
      && name.hasSuffix(".json")
  }

  private static func names(in folder: URL) -> [String] {
    folders.flatMap { part -> [String] in
      let place = folder.appending(path: "v1/\(part)").path
      // A folder that is not there has no schemas; the manifest then misses them by name.
      let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
      return names.filter { $0.hasSuffix(".json") }.map { "v1/\(part)/\($0)" }
    }
  }

  private static func document(
    _ name: String, in files: [String: [UInt8]]
  ) throws(SchemaTreeError) -> JSONValue {
    guard let bytes = files[name] else { throw .missing(name) }
    return try parse(name, bytes)
  }

  private static func parse(_ name: String, _ bytes: [UInt8]) throws(SchemaTreeError) -> JSONValue {
    do throws(JSONParseError) {
      return try JSONParser.parse(bytes, limits: .document)
    } catch {
      throw .unreadable(name, reason: "\(error)")
    }
  }
}

/// Why a bundle cannot be judged.
enum SchemaTreeError: Error, Equatable, Sendable {
  /// There is no such file.
  case missing(String)
  /// The file is no JSON.
  case unreadable(String, reason: String)

  /// What is wrong, in words.
  var message: String {
    switch self {
    case .missing(let name): "\(name) cannot be read"
    case .unreadable(let name, let reason): "\(name) is no JSON: \(reason)"
    }
  }
}
