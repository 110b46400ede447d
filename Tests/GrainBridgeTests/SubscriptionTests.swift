import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Subscribing (§4.2)", .timeLimit(.minutes(3)))
struct SubscriptionTests {
  @Test("the answer is the acknowledgement; a full snapshot follows (O3)")
  func subscribing() async throws {
    let shell = try await Shell.begin()
    let id = shell.request(
      "models/subscribe", ["subscription": "s", "model": "login", "delivery": "merge"])
    let answer = try await shell.next()
    #expect(answer["id"] == id)
    #expect(
      answer["result"]
        == ["subscription": "s", "schema": "v1/models/login.json", "revision": 1])
    let snapshot = try await shell.next()
    #expect(snapshot[pointer: "/params/subscription"] == "s")
    #expect(snapshot[pointer: "/params/revision"] == 1)
    #expect(snapshot[pointer: "/params/causedBy"] == [])
    #expect(snapshot[pointer: "/params/state/phase"] == "signedIn")
  }

  @Test(
    "what cannot be subscribed to is refused, and the place is named",
    arguments: [
      (["subscription": "used", "model": "login"], -32602, "/subscription"),
      (["subscription": "n", "model": "feed", "args": ["feed": "timeline"]], -32007, "/model"),
      (["subscription": "n", "model": "login", "args": ["draft": "d"]], -32602, "/args/draft"),
      (["subscription": "n", "model": "galleryPublish"], -32602, "/args/draft"),
      (
        ["subscription": "n", "model": "galleryPublish", "args": ["draft": "d", "colour": "c"]],
        -32602, "/args/colour"
      ),
      (
        ["subscription": "n", "model": "galleryPublish", "args": ["draft": "gone"]], 3001,
        "/args/draft"
      ),
      (
        ["subscription": "n", "model": "galleryPublish", "args": ["draft": "bobs"]], 3001,
        "/args/draft"
      ),
      (["subscription": "", "model": "login"], -32602, "/subscription"),
      (["subscription": "n", "model": "login", "maxRateHz": 0], -32602, "/maxRateHz"),
    ] as [(JSONObject, JSONValue, JSONValue)])
  func refused(params: JSONObject, code: JSONValue, field: JSONValue) async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("bobs", of: .bob)
    try await shell.subscribe("used", to: "login")
    let refusal = try await shell.call("models/subscribe", params)
    #expect(refusal[pointer: "/error/code"] == code)
    #expect(refusal[pointer: "/error/data/field"] == field)
    #expect(try await shell.call("ping")[pointer: "/result/subscriptions"] == 1)
  }

  @Test("several subscriptions to one instance are each served")
  func several() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("a", to: "login")
    try await shell.subscribe("b", to: "login", delivery: "full")
    let id = shell.request("login.start")
    for key in ["a", "b"] {
      try await shell.wait(key) { $0["phase"] == "enteringHandle" }
    }
    #expect(shell.state("a") == shell.state("b"))
    _ = id
  }

  @Test("nothing follows the answer that ends a subscription (O3), and the id is free again")
  func unsubscribing() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("a", to: "login")
    _ = try await shell.call("login.start")
    for number in 0..<30 {
      shell.request("login.setHandle", ["handle": .string("\(number)")])
    }
    #expect(try await shell.call("models/unsubscribe", ["subscription": "a"])["result"] == [:])
    shell.request("login.setHandle", ["handle": "last"])
    let again = try await shell.call("models/unsubscribe", ["subscription": "a"])
    #expect(again[pointer: "/error/code"] == -32006)
    try await shell.subscribe("a", to: "login")
    #expect(shell.state("a")?["handle"] == "last")
    _ = try await shell.finish()
  }

  @Test("a resync is answered and brings a full snapshot, whatever is held")
  func resync() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("a", to: "login")
    _ = try await shell.call("login.start")
    try await shell.wait("a") { $0["phase"] == "enteringHandle" }
    #expect(try await shell.call("models/resync", ["subscription": "a"])["result"] == [:])
    let snapshot = try await shell.next()
    #expect(snapshot[pointer: "/params/revision"] == 2)
    #expect(snapshot[pointer: "/params/state/phase"] == "enteringHandle")
    let refusal = try await shell.call("models/resync", ["subscription": "b"])
    #expect(refusal[pointer: "/error/code"] == -32006)
    #expect(refusal[pointer: "/error/data/field"] == "/subscription")
  }

  @Test("a model can be read once, without a subscription")
  func reading() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice) { $0.title = "Lake" }
    let draft = try await shell.call(
      "models/get", ["model": "galleryPublish", "args": ["draft": "d"]])
    #expect(draft[pointer: "/result/schema"] == "v1/models/gallery-publish.json")
    #expect(draft[pointer: "/result/state/title"] == "Lake")
    _ = try await shell.call("login.start")
    let login = try await shell.call("models/get", ["model": "login"])
    #expect(login[pointer: "/result/revision"] == 2)
    #expect(login[pointer: "/result/state/phase"] == "enteringHandle")
    #expect(try await shell.finish() == [])
  }

  @Test("there are at most 64 subscriptions; who ends one may open another")
  func limit() async throws {
    let shell = try await Shell.begin()
    for number in 1...64 { try await shell.subscribe("s\(number)", to: "login") }
    let params: JSONObject = ["subscription": "s65", "model": "login"]
    let refusal = try await shell.call("models/subscribe", params)
    #expect(refusal[pointer: "/error/code"] == -32005)
    #expect(refusal[pointer: "/error/data/retryAfterMs"] == 250)
    _ = try await shell.call("models/unsubscribe", ["subscription": "s7"])
    #expect(try await shell.call("models/subscribe", params)["result"] != nil)
  }

  @Test("a discarded draft's instance ends after the verdict, and with it its subscriptions")
  func gone() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    try await shell.subscribe("a", to: "galleryPublish", draft: "d")
    try await shell.subscribe("b", to: "galleryPublish", draft: "d")
    let id = shell.request("gallery.discardDraft", ["draft": "d"])
    let read = try await shell.until { $0[pointer: "/params/subscription"] == "b" }
    #expect(read.first?["id"] == id)
    #expect(
      read.dropFirst().map { $0["params"] } == [
        ["subscription": "a", "reason": "gone"], ["subscription": "b", "reason": "gone"],
      ])
    let refusal = try await shell.call("models/unsubscribe", ["subscription": "a"])
    #expect(refusal[pointer: "/error/code"] == -32006)
    #expect(try await shell.call("ping")[pointer: "/result/subscriptions"] == 0)
  }
}
