import GrainBridge
import GrainServices
import GrainSnapshots
import GrainTestSupport
import JSONRPC
import StrictJSON
import Testing

@Suite("initialize (bridge-protocol §3.1)", .timeLimit(.minutes(3)))
struct InitializeTests {
  private func hello(_ change: (inout JSONObject) -> Void) -> JSONObject {
    var hello = JSONObject.hello
    change(&hello)
    return hello
  }

  private func effects(_ effects: JSONValue) -> JSONObject {
    hello { $0["capabilities"] = ["effects": effects] }
  }

  @Test("both agree on a version, the models, the effects and the features")
  func agreement() async throws {
    let shell = try await Shell.connect {
      $0.options.version = "1.2.3"
      $0.options.session = "s-1"
    }
    let params = hello {
      $0["protocolVersions"] = [7, 1]
      $0["limits"] = ["maxMessageBytes": 70_000]
    }
    let result = try #require(try await shell.call("initialize", params)["result"])
    #expect(result["protocolVersion"] == 1)
    #expect(result["session"] == "s-1")
    #expect(result["core"] == ["name": "grain-core", "version": "1.2.3"])
    #expect(
      result["models"]?.arrayValue?.map { $0["model"] } == [
        "login", "accounts", "drafts", "galleryPublish",
      ])
    #expect(
      result["capabilities"] == [
        "delivery": ["merge", "full"], "progress": true, "effects": ["auth.present", "url.open"],
        "features": ["gallery.resume", "login.createAccount", "login.signIn"],
      ])
    #expect(result["missing"] == [])
    #expect(result["limits"]?["maxSubscriptions"] == 64)
    let manifest = try SchemaBundle.document("v1/manifest.json")
    #expect(result["schemaRevision"] == manifest["schemaRevision"])
    #expect(result["schemaRoot"] == manifest["schemaRoot"])
  }

  @Test("without a common version the shell learns which there are, and may try again")
  func noVersion() async throws {
    let shell = try await Shell.connect()
    for versions: JSONValue in [[2], []] {
      let refusal = try await shell.call("initialize", hello { $0["protocolVersions"] = versions })
      #expect(refusal[pointer: "/error/code"] == -32001)
      #expect(refusal[pointer: "/error/data/details/supported"] == [1])
    }
    #expect(try await shell.call("initialize", .hello)["result"] != nil)
  }

  @Test("an unknown model and a schema we do not write are missing, and cannot be subscribed to")
  func missingModels() async throws {
    let shell = try await Shell.connect()
    let params = hello {
      $0["models"] = [
        ["model": "login", "schemas": ["v9/models/login.json"]],
        ["model": "feed", "schemas": ["v1/models/feed.json"]],
        ["model": "accounts", "schemas": ["v9/models/accounts.json", "v1/models/accounts.json"]],
      ]
    }
    let result = try await shell.call("initialize", params)["result"]
    #expect(result?["models"] == [["model": "accounts", "schema": "v1/models/accounts.json"]])
    #expect(
      result?["missing"] == [
        ["model": "login", "needs": "schema"], ["model": "feed", "needs": "model"],
      ])
    for model in ["login", "feed"] {
      let refusal = try await shell.call(
        "models/subscribe", ["subscription": "a", "model": .string(model)])
      #expect(refusal[pointer: "/error/code"] == -32007)
      #expect(refusal[pointer: "/error/data/field"] == "/model")
    }
    try await shell.subscribe("a", to: "accounts")
  }

  @Test("a model named twice is refused by its place: one schema is picked per model (§3.1)")
  func modelTwice() async throws {
    let shell = try await Shell.connect()
    let login: JSONValue = ["model": "login", "schemas": ["v1/models/login.json"]]
    let feed: JSONValue = ["model": "feed", "schemas": ["v1/models/feed.json"]]
    for (models, place): (JSONValue, JSONValue) in [
      ([login, feed, login], "/models/2/model"),
      ([login, ["model": "login", "schemas": ["v2/models/login.json"]]], "/models/1/model"),
      // Names nobody knows here, too: `missing` would have the same entry twice.
      ([feed, feed], "/models/1/model"),
    ] {
      let refusal = try await shell.call("initialize", hello { $0["models"] = models })
      #expect(refusal[pointer: "/error/code"] == -32602)
      #expect(refusal[pointer: "/error/data/field"] == place)
    }
    #expect(try await shell.call("initialize", .hello)["result"] != nil)
  }

  @Test("saying a version, a schema, a form of snapshots or a presentation twice does no harm")
  func wordsTwice() async throws {
    let shell = try await Shell.connect()
    let params = hello {
      $0["protocolVersions"] = [1, 1]
      $0["models"] = [
        ["model": "login", "schemas": ["v1/models/login.json", "v1/models/login.json"]]
      ]
      $0["capabilities"] = [
        "delivery": ["merge", "merge", "full", "full"],
        "effects": ["auth.present": ["version": 1, "presentations": ["webview", "webview"]]],
      ]
    }
    let result = try await shell.call("initialize", params)["result"]
    #expect(result?["models"] == [["model": "login", "schema": "v1/models/login.json"]])
    #expect(result?["capabilities"]?["delivery"] == ["merge", "full"])
    #expect(result?["capabilities"]?["effects"] == ["auth.present"])
    #expect(result?["missing"] == [])
  }

  @Test(
    "without an effect that shows pages nobody can sign in, and the controls say so",
    arguments: [
      [:], ["auth.present": ["version": 1, "presentations": []]], ["files.pick": ["version": 1]],
    ] as [JSONValue])
  func missingEffects(declared: JSONValue) async throws {
    let shell = try await Shell.connect { $0.accounts = .nobody }
    let result = try await shell.call("initialize", effects(declared))["result"]
    #expect(result?["capabilities"]?["features"] == ["gallery.resume"])
    #expect(
      result?["missing"] == [
        ["feature": "login.signIn", "needs": "effect:auth.present"],
        ["feature": "login.createAccount", "needs": "effect:auth.present"],
      ])
    try await shell.subscribe("l", to: "login")
    _ = try await shell.call("login.start")
    let state = try await shell.wait("l") { $0["phase"] == "enteringHandle" }
    #expect(state["can"] == ["login.setHandle", "login.cancel"])
    let refusal = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    #expect(refusal[pointer: "/error/code"] == 1001)
  }

  @Test("a shell that can only open addresses signs in with its browser")
  func urlOpen() async throws {
    let shell = try await Shell.begin(effects(["url.open": ["version": 1]])) {
      $0.accounts = .nobody
    }
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    let effect = try await shell.next("effects/perform")
    #expect(effect[pointer: "/params/effect"] == "url.open")
    #expect(
      effect[pointer: "/params/args"]
        == ["url": .string(BrowserRequest.page.url), "purpose": "signIn"])
    shell.answer(effect, "opened")
    await shell.signIn.end(.success(.alice))
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/outcome"] == "succeeded")
  }

  @Test("a newer shell is understood: what an older core does not know is passed over (§12)")
  func newerShell() async throws {
    let shell = try await Shell.connect()
    let params: JSONObject = [
      "protocolVersions": [1], "accent": "red",
      "client": ["name": "test", "version": "9", "theme": ["dark": true]],
      "capabilities": [
        "delivery": ["delta", "full", "merge"], "touch": true,
        "effects": [
          "auth.present": ["version": 4, "presentations": ["hologram", "webview"], "tabs": 4],
          "future.thing": ["version": 1, "how": []],
        ],
      ],
      "models": [["model": "login", "schemas": ["v1/models/login.json"], "lazy": true]],
      "limits": ["maxMessageBytes": 70_000, "maxPictures": 3],
    ]
    let result = try await shell.call("initialize", params)["result"]
    #expect(result?["capabilities"]?["delivery"] == ["merge", "full"])
    #expect(result?["capabilities"]?["effects"] == ["auth.present"])
    #expect(result?["models"] == [["model": "login", "schema": "v1/models/login.json"]])
    #expect(result?["missing"] == [])
    // An intent stays closed: there the features have been agreed on.
    let refusal = try await shell.call("login.start", ["colour": "red"])
    #expect(refusal[pointer: "/error/data/field"] == "/colour")
  }

  @Test("merge patches go to nobody who has not said that they can be read")
  func mergeNotAgreed() async throws {
    let shell = try await Shell.begin(hello { $0["capabilities"] = ["delivery": ["full"]] })
    try await shell.subscribe("a", to: "accounts", delivery: "merge")
    _ = try await shell.call("login.start")
    try await shell.subscribe("l", to: "login", delivery: "merge")
    _ = try await shell.call("login.setHandle", ["handle": "a"])
    let snapshot = try await shell.next("models/snapshot")
    #expect(snapshot[pointer: "/params/state/handle"] == "a")
    #expect(snapshot[pointer: "/params/merge"] == nil)
  }

  @Test("before initialize there is ping and nothing else")
  func before() async throws {
    let shell = try await Shell.connect()
    for method in [
      "models/get", "login.start", "shutdown", "effects/pending", "log/setLevel", "no.such",
      "$/test/x",
    ] {
      let refusal = try await shell.call(method)
      #expect(refusal[pointer: "/error/code"] == -32002, "\(method)")
    }
    #expect(try await shell.call("ping")["result"] != nil)
    #expect(try await shell.call("initialize", .hello)["result"] != nil)
  }

  @Test("a second initialize is refused and changes nothing")
  func twice() async throws {
    let shell = try await Shell.begin()
    let refusal = try await shell.call("initialize", effects([:]))
    #expect(refusal[pointer: "/error/code"] == -32003)
    try await shell.subscribe("l", to: "login")
    #expect(shell.state("l")?["can"]?.arrayValue?.contains("login.createAccount") == true)
  }

  @Test("another core in the data folder is a problem, and the shell may try again (5001)")
  func locked() async throws {
    let shell = try await Shell.connect {
      $0.failures = [Problem(.storeLocked, details: ["processId": 77]), Problem(.storeNewer)]
    }
    let refusal = try await shell.call("initialize", .hello)
    #expect(refusal[pointer: "/error/code"] == 5001)
    #expect(refusal[pointer: "/error/data/details/processId"] == 77)
    #expect(try await shell.call("login.start")[pointer: "/error/code"] == -32002)
    #expect(try await shell.call("initialize", .hello)[pointer: "/error/code"] == 5007)
    #expect(try await shell.call("initialize", .hello)["result"] != nil)
  }

  @Test("the forms of snapshots both know are agreed on; a full one always")
  func delivery() async throws {
    for (wanted, agreed): (JSONValue, JSONValue) in [
      (["full"], ["full"]), (["full", "merge"], ["merge", "full"]), ([], ["full"]),
    ] {
      let shell = try await Shell.connect()
      let params = hello { $0["capabilities"] = ["delivery": wanted] }
      let result = try await shell.call("initialize", params)["result"]
      #expect(result?["capabilities"]?["delivery"] == agreed)
      #expect(result?["capabilities"]?["progress"] == false)
    }
  }

  @Test("the shell's process is watched once it is known")
  func process() async throws {
    let watched = Recorder<Int32>()
    let params = hello {
      $0["client"] = ["name": "test", "version": "1", "processId": 4242, "locale": "de-DE"]
    }
    let shell = try await Shell.begin(params) {
      $0.options.watchProcess = { watched.record($0) }
    }
    #expect(watched.values == [4242])
    _ = try await shell.finish()
  }

  @Test("what is stored is there for a request that came right behind initialize")
  func pipelined() async throws {
    for _ in 0..<20 {
      let shell = try await Shell.connect()
      shell.galleries.add("kept", of: .alice)
      let ids = shell.requests([
        ("initialize", .hello), ("models/get", ["model": "accounts"]),
        ("models/get", ["model": "drafts"]), ("gallery.createDraft", [:]),
      ])
      _ = try await shell.answer(to: ids[0])
      let accounts = try await shell.answer(to: ids[1])
      #expect(accounts[pointer: "/result/state/session"] == "signedIn")
      #expect(
        try await shell.answer(to: ids[2])[pointer: "/result/state/draftOrder"] == ["kept"])
      #expect(try await shell.answer(to: ids[3])[pointer: "/result/accepted"] == true)
    }
  }
}
