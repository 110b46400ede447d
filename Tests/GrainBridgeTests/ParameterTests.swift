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

  @Test(
    "a boolean refuses 1 and 0, a number refuses true, 1.0 and digits in quotes (FB-F8)",
    arguments: [
      ("shell.setVisibility", "visible", #"[1, 0, 1.0, "true", "1", [true]]"#),
      ("accounts.signOut", "discardDrafts", #"[1, 0, "false"]"#),
      ("gallery.setDetails", "includeExif", #"[1, 0, 0.0, "true"]"#),
      ("gallery.setDetails", "crossPost", #"[1, 0, "1"]"#),
      ("models/subscribe", "maxRateHz", #"[true, false, 30.0, 0.1, "30", 9007199254740993]"#),
      ("login.setHandle", "handle", "[true, 1, 0.1, {}]"),
    ])
  func kinds(method: String, member: String, values: String) async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    shell.galleries.add("d", of: .alice)
    let others: [String: JSONObject] = [
      "accounts.signOut": ["account": "did:web:bob.test"], "gallery.setDetails": ["draft": "d"],
      "models/subscribe": ["subscription": "s", "model": "login"],
    ]
    for value in try JSONParser.parse(Array(values.utf8)).arrayValue ?? [] {
      var params = others[method] ?? [:]
      params[member] = value
      let refusal = try await shell.call(method, params)
      #expect(refusal[pointer: "/error/code"] == -32602, "\(value.text())")
      #expect(refusal[pointer: "/error/data/field"] == .string("/\(member)"), "\(value.text())")
    }
  }

  @Test("numbers and booleans within initialize and _meta are told apart as strictly (FB-F8)")
  func kindsBelow() async throws {
    let shell = try await Shell.connect()
    for (member, text, place): (String, String, JSONValue) in [
      ("protocolVersions", "[true]", "/protocolVersions/0"),
      ("protocolVersions", "[1.0]", "/protocolVersions/0"),
      ("capabilities", #"{"progress":1}"#, "/capabilities/progress"),
      ("limits", #"{"maxMessageBytes":true}"#, "/limits/maxMessageBytes"),
      ("limits", #"{"maxMessageBytes":9007199254740993}"#, "/limits/maxMessageBytes"),
      ("client", #"{"name":"a","version":"1","processId":true}"#, "/client/processId"),
    ] {
      var params = JSONObject.hello
      params[member] = try JSONParser.parse(Array(text.utf8))
      let refusal = try await shell.call("initialize", params)
      #expect(refusal[pointer: "/error/code"] == -32602)
      #expect(refusal[pointer: "/error/data/field"] == place)
    }
    _ = try await shell.call("initialize", .hello)
    for text in ["true", "1.0", #""1""#] {
      let value = try JSONParser.parse(Array(text.utf8))
      let refusal = try await shell.call(
        "login.start", ["_meta": ["ifRevision": ["login": value]]])
      #expect(refusal[pointer: "/error/data/field"] == "/_meta/ifRevision/login")
    }
  }
}
