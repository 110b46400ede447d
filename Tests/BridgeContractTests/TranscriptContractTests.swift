import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Every transcript speaks the language of the schemas (§13)")
struct TranscriptContractTests {
  private static let folder = SharedData.repositoryRoot.appending(path: "Schemas/v1/transcripts")

  private static let steps: Set<String> = [
    "transcript", "send", "expect", "answer", "wait", "golden", "never", "advance", "fault", "raw",
    "restart", "ui", "shot", "note", "end",
  ]

  /// The transcripts there are, by file name.
  static let names: [String] = {
    // Without the folder there are none to judge.
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".ndjson") }.sorted()
  }()

  @Test("every line is one step, and every message fits its schema", arguments: names)
  func messages(name: String) throws {
    var judge = TranscriptJudge()
    let lines = try Data(contentsOf: Self.folder.appending(path: name)).split(separator: 0x0A)
    for (number, line) in lines.enumerated() {
      let step = try JSONParser.parse(line)
      let keys = (step.objectValue?.keys ?? []).filter(Self.steps.contains)
      #expect(keys.count == 1, "\(name):\(number + 1)")
      let faults = try judge.faults(of: step)
      #expect(faults == [], "\(name):\(number + 1)")
    }
    #expect(lines.count > 1)
  }

  @Test("a transcript that says what the schemas do not is found out")
  func wrong() throws {
    var judge = TranscriptJudge()
    let send: JSONValue = [
      "send": ["id": 1, "method": "login.setHandle", "params": ["handle": 7]]
    ]
    #expect(try judge.faults(of: send) == [])
    #expect(try judge.faults(of: ["expect": ["id": 1, "error": ["code": -32602]]]) == [])
    #expect(try judge.faults(of: send) == [])
    let accepted: JSONValue = ["expect": ["id": 1, "result": ["accepted": true]]]
    #expect(try judge.faults(of: accepted) == ["/handle: is no [\"string\"]"])
    let effect: JSONValue = [
      "expect": ["method": "effects/perform", "params": ["effect": "url.open", "version": "1"]]
    ]
    #expect(try judge.faults(of: effect) == ["/version: is no [\"integer\"]"])
    let cancel: JSONValue = ["expect": ["method": "$$/cancelRequest", "params": ["id": true]]]
    #expect(try judge.faults(of: cancel) == ["/id: is no [\"integer\", \"string\"]"])
    let answer: JSONValue = ["answer": ["id": "$var:fx", "result": ["outcome": "closed"]]]
    #expect(try judge.faults(of: answer) == ["/outcome: is none of the words"])
    let wait: JSONValue = ["wait": ["model": "login", "where": ["can": "$any", "handle": true]]]
    #expect(try judge.faults(of: wait) == ["/handle: is no [\"string\"]"])
  }

  @Test("every golden state fits a model's schema", arguments: names)
  func golden(name: String) throws {
    for line in try Data(contentsOf: Self.folder.appending(path: name)).split(separator: 0x0A) {
      guard let golden = try JSONParser.parse(line)["golden"] else { continue }
      let file = try #require(golden["file"]?.stringValue)
      let place = Self.folder.appending(path: "golden/\(file)")
      let state = try JSONParser.parse(Data(contentsOf: place), limits: .document)
      let schema = try TranscriptJudge.schema(of: golden["model"]?.stringValue ?? "", in: "models")
      let faults = try SchemaCheck.faults(of: state, by: schema)
      #expect(faults.filter { !TranscriptJudge.isMatched($0, in: state) } == [], "\(file)")
    }
  }
}

/// Judges the steps of one transcript: names, and the types of what is mentioned.
private struct TranscriptJudge {
  private struct Request {
    let method: String
    let params: JSONValue
  }

  private struct Unknown: Error { let name: String }

  private var requests: [JSONValue: Request] = [:]
  private var effect: String?

  mutating func faults(of step: JSONValue) throws -> [String] {
    if let message = step["send"] {
      if let id = message["id"], let method = message["method"]?.stringValue {
        requests[id] = Request(method: method, params: message["params"] ?? [:])
      }
    } else if let message = step["expect"] {
      return try expected(message)
    } else if let result = step["answer"]?["result"], let effect {
      let schema = try Self.schema(of: effect, in: "effects")
      return try check(result, "\(schema)#/$defs/result", isPartial: false)
    } else if let wait = step["wait"], let state = wait["where"] {
      return try check(state, Self.schema(of: wait["model"]?.stringValue ?? "", in: "models"))
    }
    return []
  }

  private mutating func expected(_ message: JSONValue) throws -> [String] {
    if var method = message["method"]?.stringValue {
      // In an expectation `$$` is a literal `$`.
      if method.hasPrefix("$$") { method.removeFirst() }
      let methods = try SchemaBundle.document("v1/manifest.json")["methods"]?["coreToShell"]
      let entry = methods?["requests"]?[method] ?? methods?["notifications"]?[method]
      guard let schema = entry?["params"]?.stringValue else { return ["no method \(method)"] }
      if method == "effects/perform" { effect = message["params"]?["effect"]?.stringValue }
      return try check(message["params"] ?? [:], schema)
    }
    if let error = message["error"] { return try check(error, "v1/protocol/error.json") }
    guard let id = message["id"], let request = requests[id], let result = message["result"] else {
      return []
    }
    let manifest = try SchemaBundle.document("v1/manifest.json")
    if let intent = manifest["intents"]?[request.method]?["schema"]?.stringValue {
      return try check(result, "\(intent)#/$defs/result")
        + check(request.params, "\(intent)#/$defs/params", isPartial: false)
    }
    let entry = manifest["methods"]?["shellToCore"]?["requests"]?[request.method]
    guard let schema = entry?["result"]?.stringValue, let params = entry?["params"]?.stringValue
    else { return [] }
    return try check(result, schema) + check(request.params, params, isPartial: false)
  }

  /// What is wrong with a value; in one that is mentioned in part, what is missing is not.
  private func check(
    _ value: JSONValue, _ schema: String, isPartial: Bool = true
  ) throws -> [String] {
    if Self.isMatcher(value) { return [] }
    return try SchemaCheck.faults(of: value, by: schema).filter { fault in
      let isHalf = fault.contains(": lacks ") || fault.hasSuffix("of the branches fit")
      return !(isPartial && isHalf) && !Self.isMatched(fault, in: value)
    }
  }

  static func schema(of name: String, in table: String) throws -> String {
    let entry = try SchemaBundle.document("v1/manifest.json")[table]?[name]
    guard let schema = entry?["schema"]?.stringValue else { throw Unknown(name: name) }
    return schema
  }

  /// Whether a fault is about a value that stands for others.
  static func isMatched(_ fault: String, in value: JSONValue) -> Bool {
    let place = fault.firstRange(of: ": ").map { String(fault[..<$0.lowerBound]) } ?? fault
    return value[pointer: place == "/" ? "" : place].map(isMatcher) ?? false
  }

  private static func isMatcher(_ value: JSONValue) -> Bool {
    value.stringValue?.hasPrefix("$") ?? value.objectValue?.keys.contains { $0.hasPrefix("$") }
      ?? false
  }
}
