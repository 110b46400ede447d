import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@testable import SchemaTools

@Suite("The Swift values are generated from the schemas (§12)")
struct GenerateSwiftTests {
  private static func files(_ edits: Edit...) throws -> [String: String] {
    let files = SwiftWriter.files(of: try Bundles.small(edits))
    return Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }
  }

  @Test(
    "a model is a snapshot; what it holds is nested in it; a map and its order are one",
    arguments: [
      "/// A lamp (bridge-protocol §4.1, model `lamp`).\npackage struct LampSnapshot: ModelSnapshot {",
      "  package static var schema: String { \"v1/models/lamp.json\" }",
      "  /// Its name.\n  package var name: String?",
      "  package var bulb: OrderedMap<Bulb>",
      "    case status, phase, closed, percent, name, bulbOrder, bulb",
      "    bulb = try container.decode(OrderedMap.self, order: .bulbOrder, values: .bulb)",
      "    try container.encodeIfPresent(closed, forKey: .closed)",
      """
      extension LampSnapshot {
        package enum Phase: String, Codable, CaseIterable, Sendable {
          case off, on
        }
      }
      """,
      "  package struct Bulb: Codable, Hashable, Sendable {\n    package var watts: Double?",
    ])
  func model(part: String) throws {
    let text = try #require(Self.files()["LampSnapshot"])
    #expect(text.hasPrefix(SwiftText.head))
    #expect(text.contains(part), "\(text)")
  }

  @Test("only what is served is there, and taking the mark away adds it")
  func served() throws {
    let before = try #require(Self.files()["IntentName"])
    #expect(before.contains("  /// Sets the lamp.\n  case lampSet = \"lamp.set\""))
    #expect(!before.contains("lampSell"))
    let after = try Self.files(.remove("/intents/lamp.sell/served", in: Bundles.manifest))
    #expect(after["IntentName"]?.contains("  case lampSell = \"lamp.sell\"") == true)
    let registry = try #require(Self.files()["SchemaRegistry"])
    #expect(registry.contains("revision = 1"))
    #expect(registry.contains("(\"lamp\", \"v1/models/lamp.json\"),"))
    #expect(registry.contains("\"lamp.blink\": 1,"))
    let dark = try Self.files(
      .put("/models/lamp/served", false, in: Bundles.manifest),
      .put("/effects/lamp.blink/served", false, in: Bundles.manifest))
    #expect(dark["LampSnapshot"] == nil)
    #expect(dark["SchemaRegistry"]?.contains("lamp") == false)
  }

  @Test("the registry of errors becomes an enum with its facts and words")
  func errors() throws {
    let files = try Self.files(
      .put(
        "/errors",
        [
          [
            "code": 1001, "kind": "lamp.badId", "retryable": true, "summary": "no such lamp",
            "message": ["key": "lamp.none", "params": [], "fallback": "There is no “\\”."],
          ]
        ], in: Bundles.errors))
    #expect(
      files["ErrorKind"]?.contains("  /// No such lamp.\n  case lampBadID = \"lamp.badId\"") == true
    )
    let facts = try #require(files["ErrorKind+Registry"])
    #expect(facts.contains("    case .lampBadID: 1001"))
    #expect(facts.contains("    case .lampBadID:\n      true\n    default: false"))
    #expect(facts.contains("    case .lampBadID: \"lamp.none\""))
    #expect(
      files["ErrorKind+Words"]?.contains(#"    case .lampBadID: "There is no “\\”.""#) == true)
  }

  @Test("long texts and long lists are broken into lines that fit")
  func layout() {
    let words = Array(repeating: "word", count: 60).joined(separator: " ")
    let branch = SwiftText.branch("some", text: words, indent: 4)
    #expect(branch.allSatisfy { $0.count <= SwiftText.width })
    #expect(branch.dropFirst(2).dropLast(2).allSatisfy { $0.hasSuffix(" \\") })
    #expect(branch[1].trimmingCharacters(in: .whitespaces) == "\"\"\"")
    let items = (0..<40).map { "argument\($0): Int" }
    let call = SwiftText.call("package init", items, " {", indent: 2)
    #expect(call.allSatisfy { $0.count <= SwiftText.width })
    #expect(call.first == "  package init(" && call.last == "  ) {")
    #expect(SwiftText.call("f", ["a"], "", indent: 0) == ["f(a)"])
    #expect(SwiftText.filled(["a", "b"], indent: 2, lead: "case ") == ["  case a, b"])
  }

  @Test("a generated file that nothing gives any more is found, and taken away")
  func leftover() throws {
    let folder = try TemporaryFolder()
    let root = URL(filePath: folder.path)
    let tree = try Bundles.small()
    _ = try GeneratedFiles.write(tree, to: root)
    let stray = "Sources/GrainSnapshots/Generated/OldSnapshot.swift"
    try Data("// old\n".utf8).write(to: root.appending(path: stray))
    #expect(
      GeneratedFiles.differences(tree, in: root)
        == ["\(stray): nothing in the schemas gives this any more"])
    #expect(try GeneratedFiles.write(tree, to: root) == [stray])
    #expect(GeneratedFiles.differences(tree, in: root) == [])
  }

  @Test("the compiler is told every schema, the manifest and the registry")
  func embedded() throws {
    let text = EmbeddedFilesWriter.text(of: try Bundles.small())
    for name in Bundles.smallDocuments.keys {
      #expect(text.contains("#embed \"../../Schemas/\(name)\""), "\(name)")
      #expect(text.contains("{\"\(name)\", file"), "\(name)")
    }
  }
}
