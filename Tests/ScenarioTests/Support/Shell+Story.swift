import ShellClient
import StrictJSON
import Testing

/// What people do with the app.
extension Shell {
  /// Signs in with what is typed and waits for the end; `handle` is whose password the browser knows,
  /// when a DID or an odd spelling was typed. Gives back the account's DID.
  @discardableResult
  func signIn(_ name: String = "alice.test", as handle: String? = nil) async throws -> String {
    browser.approve(handle ?? name)
    let ending = try await trySignIn(name)
    #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
    let accounts = try await wait("accounts", "signed in") { $0["session"] == "signedIn" }
    return try #require(accounts["active"]?.stringValue)
  }

  /// Submits a name; what happens to the page is the browser's matter.
  func trySignIn(_ name: String) async throws -> Ending {
    try await ending(of: try await submit(name))
  }

  /// Opens the form, unless it is open, and submits a name; gives back the verdict.
  func submit(_ name: String) async throws -> JSONObject {
    if try await read("login")["can"]?.arrayValue?.contains("login.start") == true {
      try await call("login.start")
    }
    return try await call("login.submitHandle", ["handle": .string(name)])
  }

  /// Signs an account out and waits for the end.
  func signOut(_ account: String) async throws {
    let verdict = try await call("accounts.signOut", ["account": .string(account)])
    #expect(try await ending(of: verdict).description == "succeeded")
  }

  /// Makes a draft with a title and photographs, which are prepared when this returns; its state is
  /// the subscription of its own id.
  func draft(_ photos: [String], title: String = "A walk") async throws -> String {
    let draft = try await emptyDraft(title: title)
    let ending = try await add(photos, to: draft)
    #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
    return draft
  }

  /// Makes a draft with a title only.
  func emptyDraft(title: String = "A walk") async throws -> String {
    let created = try await call("gallery.createDraft")
    let draft = try #require(created["draft"]?.stringValue)
    try await open(draft)
    if !title.isEmpty {
      try await call("gallery.setDetails", ["draft": .string(draft), "title": .string(title)])
    }
    return draft
  }

  /// Subscribes to a draft.
  func open(_ draft: String) async throws {
    try await call(
      "models/subscribe",
      [
        "subscription": .string(draft), "model": "galleryPublish",
        "args": ["draft": .string(draft)], "delivery": "merge", "maxRateHz": 60,
      ])
  }

  /// Adds photographs and waits until they are prepared or refused.
  func add(_ photos: [String], to draft: String) async throws -> Ending {
    let files = photos.map { JSONValue.object(["path": .string($0)]) }
    return try await ending(
      of: try await call(
        "gallery.addPhotos", ["draft": .string(draft), "files": .array(files)]))
  }

  /// Publishes, or continues, and waits for the end.
  func publish(_ draft: String, _ intent: String = "gallery.publish") async throws -> Ending {
    try await ending(of: try await call(intent, ["draft": .string(draft)]))
  }

  /// Continues an interrupted publish; one that went on by itself and is up before it is looked at is done.
  func goOn(_ draft: String, _ intent: String = "gallery.retry") async throws {
    do {
      try await open(draft)
      #expect(try await publish(draft, intent).description == "succeeded")
    } catch ShellError.refused(_, kind: "gallery.draftUnknown", _) {
      // What is in the repository then is for the caller to look at.
    }
  }

  /// The ids of a draft's photographs, in order.
  func photos(of draft: String) async throws -> [String] {
    let state = try #require(
      try await call(
        "models/get", ["model": "galleryPublish", "args": ["draft": .string(draft)]])["state"])
    return state["photoOrder"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
}
