import GrainTestSupport
import StrictJSON
import Testing

@Suite("What a shell sends is checked by the schemas (§5: closed objects)", .timeLimit(.minutes(3)))
struct ParameterTests {
  /// An invalid example of a request's params.
  struct Example: Sendable, CustomTestStringConvertible {
    let method: String
    let params: JSONObject?
    let place: String
    let why: String

    var testDescription: String { "\(method): \(why)" }
  }

  /// Every invalid example that is about params a shell sends.
  static let invalid: [Example] = {
    do {
      let manifest = try SchemaBundle.document("v1/manifest.json")
      let requests = manifest["methods"]?["shellToCore"]?["requests"]?.objectValue?.members ?? []
      var methods: [String: String] = [:]
      for (name, entry) in requests { methods[entry["params"]?.stringValue ?? ""] = name }
      let intents = manifest["intents"]?.objectValue?.members ?? []
      for (name, entry) in intents where entry["served"] != .bool(false) {
        methods["\(entry["schema"]?.stringValue ?? "")#/$defs/params"] = name
      }
      return try ["intents", "protocol"].flatMap { try SchemaBundle.examples(in: "invalid/\($0)") }
        .compactMap { example in
          methods[example.schema].map { method in
            Example(
              method: method, params: example.value.objectValue, place: example.place ?? "",
              why: example.note)
          }
        }
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test("there are examples for nearly every request")
  func examples() { #expect(Set(Self.invalid.map(\.method)).count >= 30) }

  @Test("every invalid example is refused with -32602 and its place", arguments: invalid)
  func refused(example: Example) async throws {
    let shell =
      example.method == "initialize"
      ? try await Shell.connect { $0.accounts = .both }
      : try await Shell.begin { $0.accounts = .both }
    shell.galleries.add("d-2", of: .alice)
    let refusal = try await shell.call(example.method, try #require(example.params))
    #expect(refusal[pointer: "/error/code"] == -32602)
    let field = try #require(refusal[pointer: "/error/data/field"]?.stringValue)
    // A member that is missing or unknown is named itself; the schema's place is around it.
    let around = field.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    #expect(field == example.place || around == example.place, "\(field)")
  }

  @Test("every valid example of an intent's params is understood")
  func understood() async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    for example in try SchemaBundle.examples(in: "intents")
    where example.schema.hasSuffix("#/$defs/params") {
      let method = example.file.replacing(".json", with: "")
      let answer = try await shell.call(method, example.value.objectValue ?? [:])
      #expect(answer[pointer: "/error/code"] != -32602, "\(example.file): \(example.note)")
    }
  }
}
