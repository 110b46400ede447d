import Foundation
import GrainTestSupport
import StrictJSON

@testable import SchemaTools

/// One place of a bundle and what is put there; `nothing` takes it away.
struct Edit: Sendable {
  let file: String
  let pointer: String
  let value: JSONValue
  let isRemoval: Bool

  static func put(_ pointer: String, _ value: JSONValue, in file: String) -> Edit {
    Edit(file: file, pointer: pointer, value: value, isRemoval: false)
  }

  static func remove(_ pointer: String, in file: String) -> Edit {
    Edit(file: file, pointer: pointer, value: .null, isRemoval: true)
  }

  func apply(to document: JSONValue) -> JSONValue {
    change(document, (JSONPointer.steps(of: pointer) ?? [])[...])
  }

  private func change(_ value: JSONValue, _ steps: ArraySlice<String>) -> JSONValue {
    guard let step = steps.first else { return self.value }
    let rest = steps.dropFirst()
    if var object = value.objectValue {
      if rest.isEmpty, isRemoval {
        object[step] = Optional<JSONValue>.none
      } else {
        object[step] = change(object[step] ?? .object([:]), rest)
      }
      return .object(object)
    }
    if var elements = value.arrayValue, let index = Int(step), index < elements.count {
      elements[index] = change(elements[index], rest)
      return .array(elements)
    }
    return value
  }
}

/// Bundles in memory.
enum Bundles {
  /// The bundle of this repository, with some places changed.
  static func repository(_ edits: [Edit] = []) throws -> SchemaTree {
    try tree(clean.get(), edits)
  }

  static func tree(_ documents: [String: JSONValue], _ edits: [Edit]) throws -> SchemaTree {
    var documents = documents
    for edit in edits {
      documents[edit.file] = edit.apply(to: documents[edit.file] ?? .object([:]))
    }
    return try SchemaTree(files: documents.mapValues { $0.serialized() })
  }

  private static let clean = Result<[String: JSONValue], any Error> {
    let tree = try SchemaTree(folder: SharedData.repositoryRoot.appending(path: "Schemas"))
    return tree.schemas.merging([
      "v1/manifest.json": tree.manifest, "v1/errors.json": ["errors": .array(tree.errors)],
    ]) { first, _ in first }
  }

  /// A bundle of one model, one intent, one effect and one error, after some changes.
  static func small(_ edits: [Edit] = []) throws -> SchemaTree { try tree(smallDocuments, edits) }

  static let model = "v1/models/lamp.json"
  static let intent = "v1/intents/lamp.set.json"
  static let effect = "v1/effects/lamp.blink.json"
  static let manifest = "v1/manifest.json"
  static let errors = "v1/errors.json"

  /// The documents of the small bundle.
  static let smallDocuments: [String: JSONValue] = [
    manifest: [
      "schemaRevision": 1,
      "models": ["lamp": ["schema": "v1/models/lamp.json"]],
      "intents": [
        "lamp.set": ["schema": "v1/intents/lamp.set.json"],
        "lamp.sell": ["schema": "v1/intents/lamp.sell.json", "served": false],
      ],
      "effects": ["lamp.blink": ["schema": "v1/effects/lamp.blink.json", "version": 1]],
      "features": ["lamp.colour": ["needs": [], "description": "Colours."]],
      "methods": ["shellToCore": [:], "coreToShell": [:]], "common": [],
    ],
    errors: ["errors": [["code": 1001, "kind": "lamp.broken", "retryable": false]]],
    model: [
      "description": "A lamp.",
      "$defs": [
        "state": [
          "type": "object", "description": "The lamp.",
          "properties": [
            "status": ["type": "string", "enum": ["idle", "busy"]],
            "phase": ["type": "string", "enum": ["off", "on"], "x-grain-open": true],
            "closed": ["type": "string", "enum": ["a", "b"]],
            "percent": ["type": "integer", "minimum": 0, "maximum": 100],
            "name": ["type": "string", "minLength": 1, "maxLength": 8, "description": "Its name."],
            "bulbOrder": ["type": "array", "items": ["type": "string"]],
            "bulb": ["$ref": "#/$defs/bulbByKey"],
          ],
          "required": ["status", "phase", "percent", "bulbOrder", "bulb"],
          "x-grain-reserved": ["colour"],
        ],
        "args": ["type": "object", "properties": [:], "additionalProperties": false],
        "bulbByKey": [
          "type": "object", "x-grain-collection": "bulbOrder",
          "additionalProperties": ["$ref": "#/$defs/bulb"],
        ],
        "bulb": ["type": "object", "properties": ["watts": ["type": "number"]]],
      ],
    ],
    intent: [
      "description": "Sets the lamp.",
      "$defs": [
        "params": [
          "type": "object", "description": "What to set.",
          "properties": [
            "to": ["type": "string", "enum": ["on", "off"]],
            "percent": ["type": "integer", "minimum": 1, "maximum": 100],
            "note": ["type": "string", "maxLength": 8, "pattern": "^a"],
          ],
          "required": ["to"], "additionalProperties": false,
        ],
        "result": ["type": "object", "properties": ["accepted": ["const": true]]],
      ],
    ],
    "v1/intents/lamp.sell.json": [
      "description": "Sells the lamp.",
      "$defs": [
        "params": ["type": "object", "properties": [:], "additionalProperties": false],
        "result": ["type": "object", "properties": [:]],
      ],
    ],
    effect: [
      "description": "Blinks.",
      "$defs": [
        "args": ["type": "object", "properties": ["times": ["type": "integer"]]],
        "result": [
          "description": "What came of it.",
          "oneOf": [["$ref": "#/$defs/done"], ["$ref": "#/$defs/dark"]],
        ],
        "done": [
          "type": "object", "properties": ["outcome": ["const": "done"]], "required": ["outcome"],
          "additionalProperties": false,
        ],
        "dark": [
          "type": "object", "properties": ["outcome": ["const": "dark"]], "required": ["outcome"],
          "additionalProperties": false,
        ],
      ],
    ],
    "v1/protocol/error.json": [
      "$defs": ["error": ["type": "object", "properties": ["code": ["type": "integer"]]]]
    ],
  ]
}
