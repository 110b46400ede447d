import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import OpenSSLCrypto
import StrictJSON
import Testing

@MainActor
@Suite("Signing in with others than Grain", .timeLimit(.minutes(1)))
struct ProviderTests {
  private func world(
    _ stored: AccountsState = .nobody, presentations: [String] = ["webview"],
    offers: [ProviderOffer] = ProviderOffer.all,
    present: @escaping (AuthPresentation) async -> PresentationOutcome = { _ in .presented }
  ) async -> ModelWorld {
    let world = await ModelWorld(stored, offers: offers)
    world.models.login.shell = ShellDoor(
      abilities: ShellAbilities(
        effects: presentations.isEmpty ? [] : ["auth.present"], presentations: presentations),
      present: present)
    return world
  }

  @Test("every provider is offered with what it needs; at rest none is chosen (P11, X12)")
  func offers() async throws {
    let world = await world()
    let screen = world.follow { $0.login.snapshot }
    #expect(
      screen.snapshot
        == LoginSnapshot(
          status: .idle, phase: .signedOut, can: [.loginStart, .loginCreateAccount],
          provider: [
            "grain": .init(available: true, needs: .handle),
            "platrium": .init(available: true, needs: .server),
            "pixiv": .init(available: true, needs: .none),
          ]))
    await screen.expectSnapshots(
      after: { try world.models.login.start(.platrium) },
      {
        $0.phase = .enteringHandle
        $0.chosen = "platrium"
        $0.can = [.loginSubmit, .loginSubmitToken, .loginCancel]
      })
    await screen.expectSnapshots(
      after: { try world.models.login.cancel() },
      {
        $0.phase = .signedOut
        $0.chosen = nil
        $0.can = [.loginStart, .loginCreateAccount]
      })
    await screen.expectSnapshots(
      after: { try world.models.login.start(.pixiv) },
      {
        $0.phase = .enteringHandle
        $0.chosen = "pixiv"
        $0.can = [.loginSubmit, .loginCancel]
      })
  }

  @Test(
    "one that cannot be used says why, and its form does not open (X11, A48)",
    arguments: [
      (["systemSession"], ProviderOffer.all, "web view"),
      ([], ProviderOffer.all, "web view"),
      (
        ["webview"],
        [
          ProviderOffer(provider: .grain, needs: .handle),
          ProviderOffer(
            provider: .pixiv, reason: .notConfigured, needs: .none, needsWebView: true),
        ], "not set up"
      ),
    ])
  func unavailable(presentations: [String], offers: [ProviderOffer], words: String) async throws {
    let world = await world(presentations: presentations, offers: offers)
    let pixiv = try #require(world.models.login.snapshot.provider["pixiv"])
    #expect(!pixiv.available)
    #expect(try #require(pixiv.reason).fallback.contains(words))
    let screen = world.follow { $0.login.snapshot }
    await screen.expectRejection(.loginProviderUnavailable, field: "/provider") {
      try world.models.login.start(.pixiv)
    }
  }

  @Test("a token is all it takes where no page can be shown (P25)")
  func withoutPages() async throws {
    let world = await world(presentations: [])
    let offers = world.models.login.snapshot.provider
    #expect(offers["grain"]?.available == false && offers["platrium"]?.available == true)
    _ = try world.models.login.start(.platrium)
    #expect(world.models.login.snapshot.can == [.loginSubmitToken, .loginCancel])
  }

  @Test("a Platrium sign-in goes to the named service, as a device or as an app (P14, P24)")
  func platrium() async throws {
    let world = await world(presentations: ["externalBrowser"])
    _ = try world.models.login.start(.platrium)
    let screen = world.follow { $0.login.snapshot }
    let device = PlatriumDevice(name: "Desk", platform: "LINUX", appVersion: "1")
    let verdict = await screen.expectSnapshots(
      after: {
        try world.models.login.submit(
          server: "platrium.test", device: device, consent: .browser)
      },
      {
        $0.status = .busy
        $0.phase = .contacting
        $0.can = [.loginCancel]
        $0.operation = "op-1"
      })
    await world.signIn.begun()
    #expect(world.signIn.attempts == [.platrium(server: "platrium.test", device: device)])
    let again = try world.models.login.submit(
      server: "platrium.test", device: device, consent: .browser)
    #expect(again == Accepted(operation: verdict?.operation, joined: true))
    await screen.expectRejection(.intentNotAvailable) {
      try world.models.login.submit(server: "other.test", device: nil, consent: .browser)
    }
    await screen.expectSnapshots(
      after: { await world.signIn.end(.failure(.remote(.offline))) },
      {
        $0.status = .failed
        $0.phase = .failed
        $0.can = [.loginSubmit, .loginSubmitToken, .loginCancel, .loginDismissProblem]
        $0.operation = nil
        $0.problem = Problem(.networkOffline)
      })
  }

  @Test("what is missing or cannot be done is said at its field, and nothing begins (P26)")
  func refusals() async throws {
    let world = await world()
    let login = world.models.login
    let screen = world.follow { $0.login.snapshot }
    await screen.expectRejection(.intentNotAvailable) {
      try login.submit(server: nil, device: nil, consent: .browser)
    }
    await screen.expectSnapshots(
      after: { try login.start(.platrium) },
      {
        $0.phase = .enteringHandle
        $0.chosen = "platrium"
        $0.can = [.loginSubmit, .loginSubmitToken, .loginCancel]
      })
    for server in [nil, " ", "plt_\(String(repeating: "x", count: 43))"] {
      await screen.expectRejection(.loginServerInvalid, field: "/server") {
        try login.submit(server: server, device: nil, consent: .browser)
      }
      await screen.expectRejection(.loginServerInvalid, field: "/server") {
        try login.submitToken(server: server, token: Secret(text: "plt_x"))
      }
    }
    for text in ["", "plt_short", "GRAINCANARY", "plt_\(String(repeating: "€", count: 43))"] {
      await screen.expectRejection(.loginTokenInvalid, field: "/token") {
        try login.submitToken(server: "platrium.test", token: Secret(text: text))
      }
    }
    #expect(Problem(.notAToken).message.fallback.contains("“plt_”"))
    await screen.expectRejection(.loginProviderUnavailable, field: "/grant") {
      try login.submit(server: "platrium.test", device: nil, consent: .deviceCode)
    }
    await screen.expectRejection(.intentNotAvailable) { try login.submitHandle("alice.test") }
    _ = try login.cancel()
    _ = try login.start(.pixiv)
    #expect(throws: IntentRejection.invalid("/server")) {
      try login.submit(server: "pixiv.test", device: nil, consent: .browser)
    }
    #expect(world.signIn.attempts.isEmpty)
  }

  @Test("a pasted token goes to its service and appears in no state (P5, P25)")
  func token() async throws {
    let world = await world()
    let canary = "plt_GRAINCANARY\(String(repeating: "x", count: 40))"
    _ = try world.models.login.start(.platrium)
    let states = Recorder<String>()
    func note() throws {
      let state = try JSONValueEncoder().encode(world.models.login.snapshot)
      states.record(state.text())
    }
    let operation = try world.models.login.submitToken(
      server: "platrium.test", token: Secret(text: canary)
    ).operation
    try note()
    await world.signIn.begun()
    #expect(
      world.signIn.attempts
        == [.platriumToken(server: "platrium.test", token: Secret(text: canary))])
    await world.signIn.step(.contacting(host: "platrium.test"))
    try note()
    await world.signIn.end(.failure(.tokenInvalid(host: "platrium.test")))
    let ending = try #require(await world.end(of: operation))
    #expect(world.models.login.snapshot.problem?.kind == .loginTokenInvalid)
    try note()
    #expect(states.values.allSatisfy { !$0.contains("CANARY") })
    #expect(!"\(ending)".contains("CANARY"))
    #expect(!"\(world.signIn.attempts)".contains("CANARY"))
  }

  @Test("Pixiv's page is shown in a web view, whatever else the shell can do (X10, X11)")
  func webView() async throws {
    let pages = Recorder<AuthPresentation>()
    let world = await world(presentations: ["systemSession", "webview"]) { page in
      pages.record(page)
      return .presented
    }
    _ = try world.models.login.start(.pixiv)
    _ = try world.models.login.submit(server: nil, device: nil, consent: .browser)
    await world.signIn.step(
      .waitingForBrowser(
        BrowserRequest(
          url: "https://app-api.pixiv.test/web/v1/login", host: "app-api.pixiv.test",
          callback: .shell(scheme: "pixiv", host: "account", path: "/login"),
          needsWebView: true)))
    await pages.wait { !$0.isEmpty }
    #expect(pages.values.map(\.presentation) == ["webview"])
    #expect(
      pages.values.first?.callback
        == AuthPresentation.Callback(scheme: "pixiv", host: "account", path: "/login"))
  }

  @Test("each account of the list says whose it is, and returns to its own provider")
  func list() async throws {
    var stored = AccountsState.three
    for index in stored.accounts.indices { stored.accounts[index].standing = .expired(.refused) }
    stored.active = nil
    stored.session = .signedOut(nil)
    let world = await world(stored)
    let list = world.models.accounts.snapshot
    #expect(list.account.map(\.value.provider) == ["grain", "platrium", "pixiv"])
    #expect(list.account["pixiv:77"]?.handle == "pia")
    #expect(list.account["platrium:platrium.test:u-7"]?.displayName == "Paula")
    for (account, target) in [
      (AccountID.alice, SignInTarget.account(.alice)), (.paula, .account(.paula)),
      (.pia, .account(.pia)),
    ] {
      let operation = try world.models.accounts.reauthenticate(account.rawValue).operation
      await world.signIn.begun()
      #expect(world.signIn.attempts.last == target)
      #expect(world.models.login.snapshot.chosen == account.provider.rawValue)
      _ = try world.models.login.cancel()
      #expect(await world.end(of: operation) == .cancelled)
    }
    // Deletion is the home server's matter; the others have none to offer (A32).
    #expect(
      list.account.map { $0.value.can.contains(.accountsDelete) } == [true, false, false])
  }
}
