import GrainTestSupport
import StrictJSON

/// Judges every message a bridge writes: its shape by the schemas, its place by the laws of
/// bridge-protocol §8.
struct SessionJudge: Sendable {
  /// One delivery of one instance, as the shell holds it.
  struct Subscription: Sendable {
    let model: String
    let schema: String
    let delivery: String
    var revision: Int?
    var state: JSONValue?
    var mayRepeat = false
  }

  private struct Request: Sendable {
    let method: String
    let params: JSONValue
  }

  /// Checks the digests of snapshots, where the bridge makes any.
  var digest: (@Sendable ([UInt8]) -> String)?
  private(set) var subscriptions: [String: Subscription] = [:]
  private var requests: [JSONValue: Request] = [:]
  private var intents: [JSONValue] = []
  private var answered: Set<JSONValue> = []
  private var effects: Set<String> = []
  private var ended: Set<JSONValue> = []
  private var progress: [JSONValue: Int] = [:]
  private var frame = 0
  private var frameGoesOn = false
  private var faults: [String] = []

  /// A message of the shell.
  mutating func sent(_ message: JSONValue) throws {
    // What has an id and answers nothing is answered, be it a request or not.
    guard let id = message["id"], message["result"] == nil, message["error"] == nil,
      requests[id] == nil
    else { return }
    let method = message["method"]?.stringValue ?? ""
    requests[id] = Request(method: method, params: message["params"] ?? [:])
    let manifest = try SchemaBundle.document("v1/manifest.json")
    if manifest["intents"]?[method] != nil { intents.append(id) }
  }

  /// A message of the bridge.
  ///
  /// - Returns: what is wrong with it.
  mutating func received(_ message: JSONValue) throws -> [String] {
    faults = []
    refuse(message["jsonrpc"] != "2.0", "is no JSON-RPC 2.0")
    if let method = message["method"]?.stringValue {
      try called(method, message)
    } else {
      try responded(message)
    }
    return faults
  }

  // MARK: Answers

  private mutating func responded(_ message: JSONValue) throws {
    let error = message["error"]
    if let error {
      try check(error, "v1/protocol/error.json")
      let registry = try SchemaBundle.document("v1/errors.json")["errors"]?.arrayValue ?? []
      let isKnown = registry.contains {
        $0["code"] == error["code"] && $0["kind"] == error["data"]?["kind"]
      }
      refuse(!isKnown, "the kind has another code")
    }
    guard let id = message["id"], id != .null else { return }
    guard let request = requests.removeValue(forKey: id) else {
      return refuse(true, "answers no open request")
    }
    answered.insert(id)
    if let place = intents.firstIndex(of: id) {
      refuse(place != 0 && error?["code"] != -32005, "overtakes an earlier verdict (O2)")
      intents.remove(at: place)
    }
    guard let result = message["result"], error == nil else {
      return refuse(error == nil, "has neither result nor error")
    }
    try accepted(request, result)
  }

  private mutating func accepted(_ request: Request, _ result: JSONValue) throws {
    let manifest = try SchemaBundle.document("v1/manifest.json")
    if let intent = manifest["intents"]?[request.method]?["schema"]?.stringValue {
      return try check(result, "\(intent)#/$defs/result")
    }
    let methods = manifest["methods"]?["shellToCore"]?["requests"]
    guard let schema = methods?[request.method]?["result"]?.stringValue else {
      return refuse(true, "answers a method nobody knows")
    }
    try check(result, schema)
    let params = request.params
    let key = params["subscription"]?.stringValue ?? ""
    switch request.method {
    case "initialize":
      effects = Set(params["capabilities"]?["effects"]?.objectValue?.keys ?? [])
      for feature in result["capabilities"]?["features"]?.arrayValue ?? [] {
        refuse(manifest["features"]?[feature.stringValue ?? ""] == nil, "no such feature")
      }
    case "models/subscribe":
      subscriptions[key] = Subscription(
        model: params["model"]?.stringValue ?? "", schema: result["schema"]?.stringValue ?? "",
        delivery: params["delivery"]?.stringValue ?? "full")
    case "models/unsubscribe": subscriptions[key] = nil
    case "models/resync": subscriptions[key]?.mayRepeat = true
    case "models/get":
      try check(result["state"] ?? .null, result["schema"]?.stringValue ?? "")
    default: break
    }
  }

  // MARK: What the bridge says on its own

  private mutating func called(_ method: String, _ message: JSONValue) throws {
    let manifest = try SchemaBundle.document("v1/manifest.json")
    let methods = manifest["methods"]?["coreToShell"]
    let table = methods?[message["id"] == nil ? "notifications" : "requests"]
    guard let schema = table?[method]?["params"]?.stringValue, let params = message["params"] else {
      return refuse(true, "no such method of the core: \(method)")
    }
    try check(params, schema)
    switch method {
    case "models/snapshot": try snapshot(params)
    case "models/closed":
      let key = params["subscription"]?.stringValue ?? ""
      refuse(subscriptions.removeValue(forKey: key) == nil, "closes what is not open")
    case "operations/ended": end(params)
    case "$/progress":
      let token = params["token"] ?? .null
      let done = params["value"]?["done"]?.intValue ?? -1
      refuse(ended.contains(token), "progress after the end")
      refuse(done < progress[token] ?? 0, "progress falls")
      progress[token] = done
    case "effects/perform":
      let effect = params["effect"]?.stringValue ?? ""
      refuse(!effects.contains(effect), "the shell did not declare \(effect)")
      let arguments = manifest["effects"]?[effect]?["schema"]?.stringValue
      try check(params["args"] ?? .null, "\(arguments ?? "")#/$defs/args")
    default: break
    }
  }

  private mutating func end(_ params: JSONValue) {
    refuse(!ended.insert(params["operation"] ?? .null).inserted, "ends twice")
    refuse((params["outcome"] == "failed") != (params["problem"] != nil), "a problem, or none")
    for (model, revision) in params["revisions"]?.objectValue?.members ?? [] {
      for held in subscriptions.values where held.model == model && held.delivery != "other" {
        guard let shown = held.revision, let revision = revision.intValue else { continue }
        // A parametrised model may mean another instance; those tests look for themselves.
        guard model != "galleryPublish" else { continue }
        refuse(shown < revision, "the end precedes its state (O5)")
      }
    }
  }

  private mutating func snapshot(_ params: JSONValue) throws {
    let key = params["subscription"]?.stringValue ?? ""
    let revision = params["revision"]?.intValue ?? -1
    guard var held = subscriptions[key] else {
      return refuse(true, "a snapshot for what is not open (O3)")
    }
    for cause in params["causedBy"]?.arrayValue ?? [] {
      refuse(!answered.contains(cause), "names a request without a verdict (O4)")
    }
    let isNews = held.revision.map { revision > $0 || held.mayRepeat && revision == $0 } ?? true
    refuse(!isNews, "revisions rise (O6)")
    refuse((params["state"] == nil) == (params["merge"] == nil), "state or merge")
    if let state = params["state"] {
      held.state = state
    } else if let merge = params["merge"], let base = held.state {
      refuse(held.delivery != "merge", "a merge was not asked for")
      refuse(params["base"]?.intValue != held.revision, "the base is another")
      refuse(
        merge.serialized().count * 2 > MergePatch.apply(merge, to: base).serialized().count,
        "a merge that is not worth it")
      held.state = MergePatch.apply(merge, to: base)
    } else {
      refuse(true, "the first snapshot is a full one")
    }
    held.revision = revision
    held.mayRepeat = false
    subscriptions[key] = held
    let state = held.state ?? .null
    try check(state, held.schema)
    if let digest {
      let own = digest(state.serialized(sortedKeys: true))
      refuse(params["digest"]?.stringValue != own, "the digest is another")
    }
    let number = params["frame"]?.intValue ?? -1
    refuse(frameGoesOn ? number != frame : number <= frame, "the frame is another")
    frame = number
    frameGoesOn = params["more"] == true
  }

  private mutating func check(_ value: JSONValue, _ schema: String) throws {
    for fault in try SchemaCheck.faults(of: value, by: schema) { refuse(true, fault) }
  }

  private mutating func refuse(_ isWrong: Bool, _ reason: String) {
    if isWrong { faults.append(reason) }
  }
}
