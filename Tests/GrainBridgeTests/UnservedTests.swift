import GrainTestSupport
import JSONRPC
import StrictJSON
import Testing

@Suite("What the schemas describe and this core does not serve yet", .timeLimit(.minutes(3)))
struct UnservedTests {
  /// The names in one table of the manifest that are marked so.
  private static func names(in table: String) throws -> [String] {
    let entries = try SchemaBundle.document("v1/manifest.json")[table]?.objectValue
    return (entries?.members ?? []).filter { $0.value["served"] == .bool(false) }.map(\.key)
  }

  private static func hello() throws -> JSONObject {
    var hello = JSONObject.hello
    let manifest = try SchemaBundle.document("v1/manifest.json")
    let models = try names(in: "models").map { name -> JSONValue in
      ["model": .string(name), "schemas": [manifest["models"]?[name]?["schema"] ?? ""]]
    }
    let effects = try names(in: "effects").map { ($0, JSONValue.object(["version": 1])) }
    hello["models"] = .array(models)
    hello["capabilities"] = ["effects": .object(JSONObject(effects))]
    return hello
  }

  @Test("its models are missing, its effects are not announced, its intents are no methods (§3.1)")
  func unserved() async throws {
    let shell = try await Shell.connect()
    let result = try await shell.call("initialize", try Self.hello())["result"]
    #expect(result?["models"] == [])
    let missing = result?["missing"]?.arrayValue?.filter { $0["needs"] == "model" }
    #expect(missing?.map { $0["model"]?.stringValue } == (try Self.names(in: "models")))
    #expect(result?[pointer: "/capabilities/effects"] == [])
    for model in try Self.names(in: "models") {
      let refusal = try await shell.call("models/get", ["model": .string(model)])
      #expect(refusal[pointer: "/error/data/kind"] == "protocol.unknownModel", "\(model)")
    }
    for intent in try Self.names(in: "intents") {
      let refusal = try await shell.call(intent)
      #expect(refusal[pointer: "/error/data/kind"] == "rpc.unknownMethod", "\(intent)")
    }
  }
}
