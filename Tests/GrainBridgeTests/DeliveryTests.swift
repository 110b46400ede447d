import ATSyntax
import GrainServices
import GrainTestSupport
import StrictJSON
import SystemClients
import Testing

@Suite("Delivering snapshots (§4.3)", .timeLimit(.minutes(3)))
struct DeliveryTests {
  /// One random edit of a draft, drawn from everything a person can do to it.
  private func edit(_ random: SystemRandom, photos: [String]) -> (String, JSONObject) {
    let words = ["", "Lake", "é 日本 👩🏽‍🎤", "a\u{2028}b", String(repeating: "long ", count: 40)]
    let text = JSONValue.string(words[random.integer(below: words.count)])
    switch random.integer(below: photos.isEmpty ? 5 : 9) {
    case 0: return ("gallery.setDetails", ["title": text])
    case 1: return ("gallery.setDetails", ["description": text, "crossPost": true])
    case 2: return ("gallery.setDetails", ["labels": ["nudity"], "includeExif": false])
    case 3:
      return (
        "gallery.setDetails", ["location": ["h3": "8a2656088b17fff", "name": text]]
      )
    case 4: return ("gallery.setDetails", ["clear": ["location"], "labels": []])
    case 5, 6:
      let photo = photos[random.integer(below: photos.count)]
      return ("gallery.setAlt", ["photo": .string(photo), "alt": text])
    case 7:
      let photo = photos[random.integer(below: photos.count)]
      return (
        "gallery.movePhoto",
        ["photo": .string(photo), "before": .string(photos[random.integer(below: photos.count)])]
      )
    default:
      let photo = photos[random.integer(below: photos.count)]
      return ("gallery.removePhoto", ["photo": .string(photo)])
    }
  }

  @Test(
    "after any edits the applied state is the state, full or merged (§14.4)", arguments: [1, 2, 3])
  func randomEdits(seed: UInt64) async throws {
    let random = SystemRandom.seeded(seed)
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice) { draft in
      for number in 0..<12 {
        let photo = DraftPhoto(id: "p\(number)", source: "/photos/\(number).jpg")
        draft.photos[photo.id] = photo
        draft.photoOrder.append(photo.id)
      }
    }
    try await shell.subscribe("full", to: "galleryPublish", draft: "d", delivery: "full")
    try await shell.subscribe("merge", to: "galleryPublish", draft: "d")
    try await shell.subscribe("list", to: "drafts")
    var merges = 0
    for round in 0..<12 {
      let photos = shell.galleries.draft("d")?.photoOrder ?? []
      let edits = (0..<8).map { _ in edit(random, photos: photos) }
      _ = shell.requests(
        edits.map { method, params in
          var params = params
          params["draft"] = "d"
          return (method, params)
        })
      let get = shell.request("models/get", ["model": "galleryPublish", "args": ["draft": "d"]])
      let read = try await shell.until { $0["id"] == get && $0["method"] == nil }
      merges += read.count { $0[pointer: "/params/merge"] != nil }
      let state = try #require(read.last?["result"]?["state"])
      for key in ["full", "merge"] { try await shell.wait(key) { $0 == state } }
      #expect(state["title"]?.stringValue == shell.galleries.draft("d")?.title, "round \(round)")
    }
    let drafts = try await shell.call("models/get", ["model": "drafts"])
    try await shell.wait("list") { $0 == drafts[pointer: "/result/state"] }
    #expect(merges > 0)
  }

  @Test("a small change comes as a merge, one of more than half the state whole")
  func half() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("l", to: "login")
    _ = try await shell.call("login.start")
    _ = try await shell.next("models/snapshot")
    _ = try await shell.call("login.setHandle", ["handle": "a"])
    let small = try await shell.next("models/snapshot")
    #expect(small[pointer: "/params/merge"] == ["handle": "a"])
    #expect(small[pointer: "/params/base"] == 2)
    let long = JSONValue.string(String(repeating: "a", count: 2_000))
    _ = try await shell.call("login.setHandle", ["handle": long])
    let large = try await shell.next("models/snapshot")
    #expect(large[pointer: "/params/state/handle"] == long)
    #expect(large[pointer: "/params/base"] == nil)
  }

  @Test("an account switch changes accounts, drafts and login in one frame (O8)")
  func oneFrame() async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    shell.galleries.add("alices", of: .alice)
    shell.galleries.add("bobs", of: .bob)
    for model in ["accounts", "drafts"] { try await shell.subscribe(model, to: model) }
    try await shell.subscribe("again", to: "accounts", delivery: "full")
    try await shell.subscribe("open", to: "galleryPublish", draft: "alices")
    await shell.accounts.gate.shut()
    let id = shell.request("accounts.switch", ["account": "did:web:bob.test"])
    try await shell.wait("again") { $0["phase"] == "switching" }
    await shell.accounts.gate.open()
    let read = try await shell.until { $0["method"] == "operations/ended" }
    let frame = read.filter { $0["method"] == "models/snapshot" }.compactMap { $0["params"] }
    #expect(frame.map { $0["subscription"] } == ["accounts", "drafts", "again"])
    #expect(Set(frame.map { $0["frame"] }).count == 1)
    #expect(frame.map { $0["more"] } == [true, true, nil])
    #expect(frame.allSatisfy { $0["causedBy"] == .array([id]) })
    #expect(shell.state("accounts")?["active"] == "did:web:bob.test")
    #expect(shell.state("accounts")?["phase"] == "ready")
    #expect(shell.state("drafts")?["draftOrder"] == ["bobs"])
    #expect(
      read.first { $0["method"] == "models/closed" }?["params"]
        == ["subscription": "open", "reason": "gone"])
    let revisions = read.last?[pointer: "/params/revisions"]
    #expect(revisions == ["accounts": 3, "drafts": 2])
  }

  @Test("a draft closes as signed out with its account, and only then")
  func signedOut() async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    shell.galleries.add("alices", of: .alice)
    try await shell.subscribe("open", to: "galleryPublish", draft: "alices")
    _ = try await shell.call("accounts.signOut", ["account": "did:web:alice.test"])
    let closed = try await shell.next("models/closed")
    #expect(closed["params"] == ["subscription": "open", "reason": "signedOut"])
  }

  @Test("a sign-in shows the account, its drafts and the form that is done in one frame (O8)")
  func signIn() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    shell.galleries.add("alices", of: .alice)
    for model in ["login", "accounts", "drafts"] { try await shell.subscribe(model, to: model) }
    _ = try await shell.call("login.start")
    let id = shell.request("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.exchanging)
    try await shell.wait("login") { $0["phase"] == "exchanging" }
    await shell.galleries.reading.shut()
    shell.accounts.change { $0 = .alice }
    await shell.galleries.reading.arrivals()
    await shell.signIn.end(.success(.alice))
    await shell.galleries.reading.open()
    let read = try await shell.until { $0["method"] == "operations/ended" }
    #expect(shell.state("login")?["phase"] == "signedIn")
    #expect(shell.state("accounts")?["active"] == "did:web:alice.test")
    #expect(shell.state("drafts")?["draftOrder"] == ["alices"])
    #expect(read.last?[pointer: "/params/causedBy"] == id)
  }

  @Test("a state that does not fit ends its subscription; nobody else notices (§8)")
  func tooLarge() async throws {
    var hello = JSONObject.hello
    hello["limits"] = ["maxMessageBytes": 65_536]
    let shell = try await Shell.begin(hello) { $0.accounts = .three }
    let list: JSONObject = ["model": "devices", "args": ["account": "platrium:platrium.test:u-7"]]
    func subscribe() async throws {
      var params = list
      params["subscription"] = "big"
      #expect(try await shell.call("models/subscribe", params)["result"] != nil)
      try await shell.wait("big") { $0["phase"] == "ready" && $0["operation"] == nil }
    }
    func refresh(_ id: String) async throws {
      shell.devices.entries = [DeviceEntry(id: id, kind: .app, name: "Desk", isCurrent: true)]
      _ = try await shell.call("devices.refresh", ["account": "platrium:platrium.test:u-7"])
    }
    try await subscribe()
    try await shell.subscribe("other", to: "login")
    // No list can be shown without this device, whatever the service calls it.
    try await refresh(String(repeating: "c", count: 70_000))
    let closed = try await shell.next("models/closed")
    #expect(closed["params"] == ["subscription": "big", "reason": "tooLarge"])
    let get = try await shell.call("models/get", list)
    #expect(get[pointer: "/error/data/kind"] == "frame.tooLarge")
    #expect(try await shell.call("ping")[pointer: "/result/subscriptions"] == 1)
    _ = try await shell.call("login.start")
    try await shell.wait("other") { $0["phase"] == "enteringHandle" }
    try await refresh("c")
    _ = try await shell.next("operations/ended")
    try await subscribe()
    #expect(shell.state("big")?["clientOrder"] == ["c"])
  }

  @Test("a list that outgrows the shell's messages goes on, with its first entries (§4.1)")
  func crowd() async throws {
    var hello = JSONObject.hello
    hello["limits"] = ["maxMessageBytes": 65_536]
    let shell = try await Shell.begin(hello)
    try await shell.subscribe("list", to: "accounts")
    let crowd = try (0..<800).map {
      AccountRecord(did: try DID("did:web:a\($0).test"), handle: nil)
    }
    shell.accounts.change { $0.accounts += crowd }
    let grown = try await shell.wait("list") { $0["accountCount"] == 801 }
    let shown = try #require(grown["accountOrder"]?.arrayValue)
    #expect(shown.count > 100 && shown.count < 801)
    #expect(shown.prefix(2) == ["did:web:alice.test", "did:web:a0.test"])
    let get = try await shell.call("models/get", ["model": "accounts"])
    #expect(get[pointer: "/result/state"] == grown)
    #expect(get.serialized().count <= 65_536)
    // Without its place on the screen an account can be named all the same.
    let last = try await shell.call(
      "accounts.move", ["account": "did:web:a799.test", "before": "did:web:alice.test"])
    #expect(last[pointer: "/result/accepted"] == true)
    try await shell.wait("list") { $0["accountOrder"]?.arrayValue?.first == "did:web:a799.test" }
    shell.accounts.change { $0.accounts.removeAll { $0.id != .alice } }
    try await shell.wait("list") {
      $0["accountCount"] == nil && $0["account"]?.objectValue?.count == 1
    }
  }

  /// A shell that reads the least a shell may read.
  private func narrow(_ change: (inout Draft) -> Void) async throws -> Shell {
    var hello = JSONObject.hello
    hello["limits"] = ["maxMessageBytes": 65_536]
    let shell = try await Shell.begin(hello)
    shell.galleries.add("d", of: .alice, change)
    try await shell.subscribe("s", to: "galleryPublish", draft: "d", delivery: "full")
    return shell
  }

  private func fill(_ draft: inout Draft, photos count: Int, alt: String) {
    draft.title = "Lake"
    for number in 0..<count {
      let id = "p\(number)"
      draft.photos[id] = DraftPhoto(id: id, source: "/home/alice/Pictures/\(id).jpg")
      draft.photos[id]?.alt = alt
      draft.photoOrder.append(id)
    }
  }

  @Test(
    "a text with which the draft outgrows the shell's messages is refused, and nothing is lost (§4.1)"
  )
  func outgrowing() async throws {
    let shell = try await narrow { fill(&$0, photos: 3, alt: "") }
    let long = JSONValue.string(String(repeating: "é", count: 14_000))
    let kept = try await shell.call(
      "gallery.setAlt", ["draft": "d", "photo": "p0", "alt": long])
    #expect(kept["result"] != nil)
    let edits: [(String, JSONObject, String)] = [
      ("gallery.setAlt", ["draft": "d", "photo": "p1", "alt": long], "/alt"),
      ("gallery.setAlt", ["draft": "d", "photo": "p2", "alt": long], "/alt"),
      ("gallery.setDetails", ["draft": "d", "title": "New", "description": long], "/description"),
      ("gallery.setDetails", ["draft": "d", "title": long], "/title"),
    ]
    _ = try await shell.call(edits[0].0, edits[0].1)
    for (intent, params, field) in edits.dropFirst() {
      let refusal = try await shell.call(intent, params)
      #expect(refusal[pointer: "/error/data/kind"] == "gallery.textTooLong")
      #expect(refusal[pointer: "/error/data/field"]?.stringValue == field)
      #expect(refusal[pointer: "/error/data/details/limit"]?.intValue ?? 0 < 65_536)
    }
    let state = try await shell.call(
      "models/get", ["model": "galleryPublish", "args": ["draft": "d"]])
    #expect(state[pointer: "/result/state/title"] == "Lake")
    #expect(state[pointer: "/result/state/photo/p0/alt"] == long)
    #expect(state[pointer: "/result/state/cut"] == nil)
    #expect(shell.galleries.draft("d")?.title == "Lake")
  }

  @Test(
    "a draft that is too large already is shown as far as it fits, kept whole, and can be made smaller"
  )
  func alreadyTooLarge() async throws {
    let text = String(repeating: "\u{1}é", count: 30_000)
    let shell = try await narrow {
      fill(&$0, photos: 1_000, alt: "")
      $0.photos["p0"]?.alt = text
      $0.description = text
    }
    let state = try #require(shell.state("s"))
    let shown = try #require(state["photoOrder"]?.arrayValue)
    #expect((20..<1_000).contains(shown.count))
    #expect(shown.first == "p0")
    #expect(state["photoCount"] == 1_000)
    #expect(state["cut"] == ["/description", "/photo/p0/alt"])
    #expect(state["description"]?.stringValue.map { text.hasPrefix($0) && !$0.isEmpty } == true)
    #expect(shell.galleries.draft("d")?.description == text)
    // What is not shown can be changed all the same, and a smaller draft is welcome though still too large.
    let hidden: JSONObject = ["draft": "d", "photo": "p999"]
    #expect(try await shell.call("gallery.removePhoto", hidden)["result"] != nil)
    let shorter = try await shell.call(
      "gallery.setDetails", ["draft": "d", "description": "short"])
    #expect(shorter["result"] != nil)
    try await shell.wait("s") {
      $0["photoCount"] == 999 && $0["description"] == "short" && $0["cut"] == ["/photo/p0/alt"]
    }
  }

  @Test("a thousand photographs, each described, fit into a message of the usual size (§4.1)")
  func thousandPhotos() async throws {
    let shell = try await Shell.begin()
    let alt = String(repeating: "The lake at dawn. ", count: 25)
    shell.galleries.add("d", of: .alice) { fill(&$0, photos: 1_000, alt: alt) }
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    let state = try #require(shell.state("s"))
    #expect(state["photoOrder"]?.arrayValue?.count == 1_000)
    #expect(state["photoCount"] == nil)
    #expect(state.serialized().count > 500_000)
  }
}
