import GrainTestSupport
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// A shell and the person who uses it: every wait is bounded, every failure says what was meant.
struct Shell: Sendable {
  /// One message on the wire.
  struct Message: Sendable {
    let direction: ShellConnection.Direction
    let json: JSONValue
  }

  let client: ShellClient
  let browser: Browser
  /// Everything that crossed the pipes.
  let traffic: Recorder<Message>

  /// Takes over a shell's ends of the two pipes and begins to read.
  init(input: Int32, output: Int32, browser: Browser) async {
    // A core that is gone is an error to write to, not the end of the tests.
    ignoreWriteSignals()
    let traffic = Recorder<Message>()
    let connection = ShellConnection(input: input, output: output) { direction, json in
      traffic.record(Message(direction: direction, json: json))
    }
    client = ShellClient(connection: connection) { await browser.perform($0) }
    self.browser = browser
    self.traffic = traffic
    browser.attach(client)
    await client.start()
  }

  // MARK: Speaking

  /// Sends a request.
  ///
  /// - Throws: `ShellError` for a refusal.
  @discardableResult
  func call(_ method: String, _ params: JSONObject = [:]) async throws -> JSONObject {
    try await within("the answer to \(method)") { [client] in
      try await client.call(method, params)
    }
  }

  /// Sends a request that must be refused.
  func refusal(_ method: String, _ params: JSONObject = [:]) async throws -> Trouble {
    do {
      let result = try await call(method, params)
      throw Unexpected("\(method) was accepted: \(JSONValue.object(result).text())")
    } catch let ShellError.refused(code, kind, words) {
      return Trouble(kind: kind, words: words, code: code)
    }
  }

  /// The error object of the last refusal.
  var lastError: JSONValue? { traffic.values.last { $0.json["error"] != nil }?.json["error"] }

  /// Says hello and subscribes to the lists.
  func initialize(presentations: [JSONValue] = ["webview"]) async throws {
    try await call("initialize", Self.hello(presentations))
    try await subscribe()
  }

  /// Subscribes to the models every shell draws.
  func subscribe() async throws {
    for model in ["login", "accounts", "drafts"] {
      try await call(
        "models/subscribe",
        ["subscription": .string(model), "model": .string(model), "delivery": "merge"])
    }
  }

  /// What this shell says at `initialize`.
  static func hello(
    _ presentations: [JSONValue] = ["webview"], more effects: JSONObject = [:]
  ) -> JSONObject {
    var all: JSONObject = [
      "auth.present": ["version": 1, "presentations": .array(presentations)],
      "url.open": ["version": 1],
    ]
    for (name, value) in effects.members { all[name] = value }
    return [
      "protocolVersions": [1], "client": ["name": "scenario", "version": "1"],
      "capabilities": [
        "delivery": ["merge", "full"], "progress": true,
        "effects": .object(all),
      ],
      "models": [
        ["model": "login", "schemas": ["v1/models/login.json"]],
        ["model": "accounts", "schemas": ["v1/models/accounts.json"]],
        ["model": "drafts", "schemas": ["v1/models/drafts.json"]],
        ["model": "galleryPublish", "schemas": ["v1/models/gallery-publish.json"]],
      ],
    ]
  }

  // MARK: Waiting

  /// Waits until a subscribed state is as described.
  @discardableResult
  func wait(
    _ subscription: String, _ what: String,
    until condition: @escaping @Sendable (JSONValue) -> Bool
  ) async throws -> JSONValue {
    do {
      return try await within("\(subscription) to be \(what)") { [client] in
        try await client.wait(subscription, until: condition)
      }
    } catch let overdue as Overdue {
      let state = await client.state(subscription)?.text() ?? "nothing"
      throw Unexpected("\(overdue); it was \(state)")
    }
  }

  /// The state a subscription shows now.
  func state(_ subscription: String) async throws -> JSONValue {
    try #require(await client.state(subscription))
  }

  /// A model's state, read once, which is what the core has this very moment.
  func read(_ model: String) async throws -> JSONValue {
    try #require(try await call("models/get", ["model": .string(model)])["state"])
  }

  /// How the operation of a verdict ended.
  func ending(of verdict: JSONObject) async throws -> Ending {
    let operation = try #require(verdict["operation"]?.stringValue)
    let params = try await within("the end of \(operation)") { [client] in
      try await client.ending(of: operation)
    }
    return Ending(params)
  }

  // MARK: Ending

  /// Says goodbye.
  func shutdown() async throws {
    try await within("the goodbye") { [client] in try await client.shutdown() }
  }

  /// Leaves without a word.
  func hangUp() async throws {
    try await within("the core to hang up") { [client] in await client.hangUp() }
  }
}

/// How an operation ended.
struct Ending: Equatable, CustomStringConvertible {
  let outcome: String
  let problem: Trouble?
  let operation: String

  init(_ params: JSONObject) {
    outcome = params["outcome"]?.stringValue ?? ""
    problem = params["problem"].map(Trouble.init)
    operation = params["operation"]?.stringValue ?? ""
  }

  /// In one comparable line: `succeeded`, `cancelled`, or `failed login.denied`.
  var description: String {
    [outcome, problem?.kind].compactMap(\.self).joined(separator: " ")
  }
}

/// A problem as shells get it.
struct Trouble: Equatable, CustomStringConvertible {
  let kind: String
  let words: String
  let code: Int
  var retryAfterMs: Int?
  var details: JSONValue?

  init(kind: String, words: String, code: Int) {
    self.kind = kind
    self.words = words
    self.code = code
  }

  init(_ problem: JSONValue) {
    self.init(
      kind: problem["kind"]?.stringValue ?? "",
      words: problem["message"]?["fallback"]?.stringValue ?? "",
      code: problem["code"]?.intValue ?? 0)
    retryAfterMs = problem["retryAfterMs"]?.intValue
    details = problem["details"]
  }

  var description: String { "\(kind): \(words)" }

  /// Whether the words are sentences for a person: whole, with nothing left to fill in, and without
  /// the names programs use.
  var isWorded: Bool {
    words.split(separator: " ").count >= 4 && words.hasSuffix(".")
      && !words.contains { "{}_[]".contains($0) }
      && !words.contains("nil") && !words.contains("Error")
  }
}

/// The scenario took a turn that was not meant.
struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
