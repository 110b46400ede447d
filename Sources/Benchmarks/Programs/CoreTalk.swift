import Foundation
import StrictJSON

/// A started `grain-core --stdio`, spoken to line by line.
final class CoreTalk {
  let lines: LineTalk
  private var nextID = 1

  /// Starts it on a data folder; nothing is said yet.
  init(_ bench: Bench, dataFolder: String) throws {
    lines = LineTalk(
      try ChildProgram(
        bench.core,
        [
          "--stdio", "--data-dir", dataFolder, "--config",
          try StoredAccounts.configuration(bench), "--log-level", "error",
        ], environment: bench.environment()))
  }

  /// What the system says about it.
  var facts: ProcessFacts { ProcessFacts(processID: lines.program.processID) }

  /// Says hello; the answer is read.
  func initialize() throws {
    try call("initialize", Self.hello)
  }

  /// Sends a request and reads to its answer.
  @discardableResult
  func call(_ method: String, _ params: JSONObject = [:]) throws -> JSONObject {
    let id = try send(method, params)
    while true {
      let message = try JSONParser.parse(try lines.line(), limits: .document)
      guard message["id"]?.intValue == id else { continue }
      guard let result = message["result"]?.objectValue else {
        throw BenchError("\(method) was refused: \(message.text())")
      }
      return result
    }
  }

  /// Sends a request.
  func send(_ method: String, _ params: JSONObject) throws -> Int {
    defer { nextID += 1 }
    try lines.send(RequestLine.named(nextID, method, params))
    return nextID
  }

  /// Reads until so many snapshots have come.
  ///
  /// - Returns: the bytes of all lines up to then, their ends included.
  func readSnapshots(_ count: Int) throws -> Int {
    var (missing, bytes) = (count, 0)
    while missing > 0 {
      let line = try lines.line()
      bytes += line.count + 1
      if line.starts(with: Self.snapshot) { missing -= 1 }
      if line.starts(with: Self.answer), try JSONParser.parse(line)["error"] != nil {
        throw BenchError(String(decoding: line, as: UTF8.self))
      }
    }
    return bytes
  }

  private static let snapshot = Array(#"{"jsonrpc":"2.0","method":"models/snapshot""#.utf8)
  private static let answer = Array(#"{"jsonrpc":"2.0","id":"#.utf8)

  /// What a shell says first.
  static let hello: JSONObject = [
    "protocolVersions": [1], "client": ["name": "benchmarks", "version": "1"],
    "capabilities": [
      "delivery": ["merge", "full"], "progress": true,
      "effects": [
        "auth.present": ["version": 1, "presentations": ["webview"]],
        "url.open": ["version": 1],
      ],
    ],
    "models": [
      ["model": "login", "schemas": ["v1/models/login.json"]],
      ["model": "accounts", "schemas": ["v1/models/accounts.json"]],
      ["model": "drafts", "schemas": ["v1/models/drafts.json"]],
      ["model": "galleryPublish", "schemas": ["v1/models/gallery-publish.json"]],
    ],
  ]
}
