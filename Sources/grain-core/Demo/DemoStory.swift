import Foundation
import HTTPTransport
import PhotoFile
import Sandbox
import ShellClient
import StrictJSON

/// The story a demo tells: sign in, publish, restart, read back, sign out.
struct DemoStory {
  static let handle = "alice.test"
  static let password = "sandbox"

  let network: SandboxNetwork
  let photos: DemoPhotos
  let screen: DemoScreen
  let http: HTTPClient
  /// Counts what the core asks of the network; the browser's requests are its own.
  let counter: RequestCounter

  /// What happened, for the summary.
  struct Outcome {
    var did = ""
    var handle = ""
    var gallery = ""
    var photos = 0
    var signInRequests = 0
    var publishRequests = 0
    var seenByAppView = false
    var gpsLeaked = false
  }

  private(set) var outcome = Outcome()

  init(
    network: SandboxNetwork, photos: DemoPhotos, screen: DemoScreen, http: HTTPClient,
    counter: RequestCounter
  ) {
    self.counter = counter
    self.network = network
    self.photos = photos
    self.screen = screen
    self.http = http
    outcome.photos = photos.paths.count
  }

  // MARK: Sign-in

  mutating func signIn(_ shell: ShellClient) async throws {
    let before = counter.count
    try await shell.call("login.start")
    let verdict = try await shell.call("login.submitHandle", ["handle": .string(Self.handle)])
    try await succeed(shell, verdict, "sign-in")
    let accounts = try await shell.wait("accounts") { $0["session"] == "signedIn" }
    outcome.did = accounts["active"]?.stringValue ?? ""
    outcome.handle = accounts["account"]?[outcome.did]?["handle"]?.stringValue ?? ""
    outcome.signInRequests = requests(since: before)
    screen.done(
      "signed in",
      "@\(outcome.handle) at \(network.addresses.pds.absoluteString) "
        + "(\(outcome.signInRequests) requests)")
  }

  // MARK: Publishing

  mutating func publish(_ shell: ShellClient) async throws {
    let created = try await shell.call("gallery.createDraft")
    guard let draft = created["draft"] else {
      throw DemoFailure("no draft was made", advice: "Look at standard error.")
    }
    try await shell.call(
      "models/subscribe",
      [
        "subscription": "publish", "model": "galleryPublish", "args": ["draft": draft],
        "delivery": "merge",
      ])
    let watching = watch(shell)
    defer { watching.cancel() }
    let files = photos.paths.map { JSONValue.object(["path": .string($0)]) }
    try await succeed(
      shell,
      try await shell.call("gallery.addPhotos", ["draft": draft, "files": .array(files)]),
      "adding the photographs")
    screen.done("prepared", "\(photos.paths.count) photographs measured, all metadata removed")
    try await shell.call(
      "gallery.setDetails",
      [
        "draft": draft, "title": "A walk by the harbour",
        "description": "Published by grain-core demo.",
      ])
    let before = counter.count
    try await succeed(
      shell, try await shell.call("gallery.publish", ["draft": draft]), "publishing")
    let state = try await shell.wait("publish") { $0["phase"] == "published" }
    outcome.gallery = state["publishedUri"]?.stringValue ?? ""
    outcome.publishRequests = requests(since: before)
    screen.done("published", "\(outcome.gallery) (\(outcome.publishRequests) requests)")
  }

  /// Draws what the snapshots say, as a shell does.
  private func watch(_ shell: ShellClient) -> Task<Void, Never> {
    let screen = screen
    return Task {
      var shown = -1
      while !Task.isCancelled {
        let held = shown
        do {
          let state = try await shell.wait("publish") { Self.percent($0) != held }
          shown = Self.percent(state)
          if (0...100).contains(shown) {
            screen.progress(state["phase"]?.stringValue ?? "", percent: shown)
          }
        } catch {
          return
        }
      }
    }
  }

  /// Whole percent of what the state shows; while photographs are added, of those prepared.
  private static func percent(_ state: JSONValue) -> Int {
    if let percent = state["percent"]?.intValue { return percent }
    let photos = state["photo"]?.objectValue?.members ?? []
    guard !photos.isEmpty else { return -1 }
    let ready = photos.filter { $0.1["step"] == "ready" || $0.1["step"] == "uploaded" }
    return 50 * ready.count / photos.count
  }

  // MARK: After the restart

  func restored(_ shell: ShellClient, requestsBefore: Int) async throws {
    let accounts = try await shell.wait("accounts") { $0["session"] == "signedIn" }
    guard accounts["active"]?.stringValue == outcome.did else {
      throw DemoFailure(
        "after the restart the account was gone", advice: "This is a bug; please report it.")
    }
    let extra = requests(since: requestsBefore)
    screen.done("restarted", "still signed in, shown with \(extra) requests needed")
  }

  mutating func readBack() async throws {
    let base = network.addresses
    let uri = FormURLEncoding.encodeText([("gallery", outcome.gallery)])
    let answer = try await get("\(base.appView)/xrpc/social.grain.unspecced.getGallery?\(uri)")
    let gallery = try JSONParser.parse(answer, limits: .document)["gallery"]
    let items = gallery?["items"]?.arrayValue ?? []
    outcome.seenByAppView = items.count == photos.paths.count
    guard outcome.seenByAppView else {
      throw DemoFailure(
        "the AppView shows \(items.count) of \(photos.paths.count) photographs",
        advice: "This is a bug; please report it.")
    }
    for item in items {
      guard let address = item["fullsize"]?.stringValue else { continue }
      let info = try PictureReader.read(try await get(address))
      if info.hasGPS || info.exif != nil { outcome.gpsLeaked = true }
    }
    if outcome.gpsLeaked {
      throw DemoFailure(
        "a published picture still says where or with what it was taken",
        advice: "This is a bug; please report it.")
    }
    screen.done("read back", "the AppView shows \(items.count) photographs, none with a position")
  }

  func signOut(_ shell: ShellClient) async throws {
    let verdict = try await shell.call("accounts.signOut", ["account": .string(outcome.did)])
    try await succeed(shell, verdict, "sign-out")
    try await shell.wait("accounts") { $0["session"] == "signedOut" }
    screen.done("signed out", "the grant is revoked, nothing of it is stored")
  }

  // MARK: Helping hands

  private func requests(since count: Int) -> Int { counter.count - count }

  private func get(_ address: String) async throws -> [UInt8] {
    guard let url = URL(string: address) else {
      throw DemoFailure("\(address) is no address", advice: "This is a bug; please report it.")
    }
    var request = HTTPRequest(method: "GET", url: url)
    request.maximumBodyBytes = 8 << 20
    let response = try await http.send(request)
    guard response.status == 200 else {
      throw DemoFailure(
        "\(url.path) answered \(response.status)", advice: "This is a bug; please report it.")
    }
    return response.body
  }

  /// Waits for the operation of a verdict and insists that it succeeded.
  private func succeed(_ shell: ShellClient, _ verdict: JSONObject, _ what: String) async throws {
    guard let operation = verdict["operation"]?.stringValue else { return }
    let ending = try await shell.ending(of: operation)
    guard ending["outcome"] != "succeeded" else { return }
    throw DemoFailure(
      "\(what) \(ending["outcome"]?.stringValue ?? "failed")",
      advice: ending["problem"]?["message"]?["fallback"]?.stringValue ?? "Try it again.")
  }
}
