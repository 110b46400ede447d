import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

/// What can be done in the open form.
private let form: [IntentName] = [
  .loginSetHandle, .loginSubmitHandle, .loginCreateAccount, .loginCancel,
]

@MainActor
@Suite("The sign-in screen", .timeLimit(.minutes(1)))
struct LoginModelTests {
  /// A form that is open, and its followed screen.
  private func opened(
    _ stored: AccountsState = .nobody
  ) async throws -> (ModelWorld, SnapshotFollower<LoginSnapshot>) {
    let world = await ModelWorld(stored)
    _ = try world.models.login.start()
    return (world, world.follow { $0.login.snapshot })
  }

  /// A sign-in as Bob that has come to a phase.
  private func signingIn(
    to phase: LoginSnapshot.Phase = .resolving
  ) async throws -> (ModelWorld, SnapshotFollower<LoginSnapshot>, operation: String?) {
    let (world, screen) = try await opened()
    let accepted = await screen.expectSnapshots(
      after: { try world.models.login.submitHandle("bob.test") },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-1",
          handle: "bob.test")
      })
    let way: [(SignInStep, (inout LoginSnapshot) -> Void)] = [
      (
        .contacting(host: "pds.bob.test"),
        {
          $0.phase = .contacting
          $0.serverHost = "pds.bob.test"
        }
      ),
      (
        .waitingForBrowser(.page),
        {
          $0.phase = .waitingForBrowser
          $0.status = .waiting
          $0.serverHost = "pds.test"
          $0.can = [.loginCancel, .loginCallback]
        }
      ),
      (
        .exchanging,
        {
          $0.phase = .exchanging
          $0.status = .busy
          $0.can = [.loginCancel]
        }
      ),
    ]
    for (step, change) in way where screen.snapshot.phase != phase {
      await screen.expectSnapshots(after: { await world.signIn.step(step) }, change)
    }
    return (world, screen, accepted?.operation)
  }

  // MARK: The whole way

  @Test("goes from a name to an account, phase by phase, with nothing in between")
  func wholeWay() async throws {
    let (world, screen, operation) = try await signingIn(to: .exchanging)
    await screen.expectSnapshots(
      after: { await world.signIn.end(.success(.bob)) },
      {
        $0 = LoginSnapshot(
          status: .done, phase: .signedIn, can: [.loginStart, .loginCreateAccount])
      })
    #expect(world.signIn.attempts == [.name("bob.test")])
    #expect(await world.end(of: operation) == .succeeded)
  }

  @Test("hands the browser's answer over and shows nothing of it (A21)")
  func callback() async throws {
    let (world, screen, operation) = try await signingIn(to: .waitingForBrowser)
    let accepted = await screen.expectSnapshots(
      after: { try world.models.login.callback("com.example.grain:/callback?code=c") })
    #expect(accepted == Accepted(operation: operation, joined: true))
    #expect(world.signIn.delivered == ["com.example.grain:/callback?code=c"])
    world.signIn.answerCallbacks(.unknown)
    await screen.expectRejection(.loginCallbackMismatch, field: "/callbackUrl") {
      try world.models.login.callback("com.example.grain:/callback?code=d")
    }
  }

  @Test("signs up without a name, and says where (G25)")
  func createAccount() async throws {
    let world = await ModelWorld(.nobody)
    let screen = world.follow { $0.login.snapshot }
    await screen.expectSnapshots(
      after: { try world.models.login.createAccount() },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .contacting, can: [.loginCancel], operation: "op-1")
      })
    await screen.expectSnapshots(
      after: { await world.signIn.step(.contacting(host: "signup.test")) },
      { $0.serverHost = "signup.test" })
    #expect(world.signIn.attempts == [.newAccount])
  }

  @Test("returns to an account that has expired, under the name it is known by")
  func reauthenticate() async throws {
    var stored = AccountsState(session: .signedOut(nil))
    var account = AccountRecord(did: .bob, handle: try Handle("bob.test"))
    account.standing = .expired(.refused)
    stored.accounts = [account]
    let world = await ModelWorld(stored)
    let screen = world.follow { $0.login.snapshot }
    let bob = DID.bob.rawValue
    await screen.expectSnapshots(
      after: { try world.models.accounts.reauthenticate(bob) },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-1",
          handle: "bob.test")
      })
    let again = await screen.expectSnapshots(
      after: { try world.models.accounts.reauthenticate(bob) })
    #expect(again == Accepted(operation: "op-1", joined: true))
    #expect(world.signIn.attempts == [.account(.bob)])
  }

  // MARK: Two at once

  @Test("an equal request joins, another one has to wait; nothing is seen of either (FB-A30)")
  func joined() async throws {
    let (world, screen, operation) = try await signingIn(to: .contacting)
    let login = world.models.login
    let joined = await screen.expectSnapshots(after: { try login.submitHandle("bob.test") })
    #expect(joined == Accepted(operation: operation, joined: true))
    await screen.expectRejection(.intentNotAvailable) { try login.submitHandle("alice.test") }
    await screen.expectRejection(.intentNotAvailable) { try login.createAccount() }
    #expect(world.signIn.attempts == [.name("bob.test")])
    #expect(world.signIn.timesShownAgain == 0)
  }

  @Test("who asks again while the page is waited for is shown it once more (FB-A25)")
  func shownAgain() async throws {
    let (world, screen, operation) = try await signingIn(to: .waitingForBrowser)
    let joined = await screen.expectSnapshots(
      after: { try world.models.login.submitHandle("bob.test") })
    #expect(joined == Accepted(operation: operation, joined: true))
    #expect(world.signIn.timesShownAgain == 1)
  }

  // MARK: Ends

  @Test(
    "a server that is not the one it should be is told by both names (FB-A14, FB-A16)",
    arguments: [SignInError.IssuerSource.metadata, .callback, .account])
  func issuers(source: SignInError.IssuerSource) {
    let problem = Problem(
      SignInError.issuerMismatch(expected: "https://a.test", found: "https://b.test", in: source))
    #expect(problem.message.fallback.contains("https://a.test"))
    #expect(problem.message.fallback.contains("https://b.test"))
    #expect(problem.details?["expected"] == .text("https://a.test"))
    #expect(problem.details?["found"] == .text("https://b.test"))
  }

  @Test(
    "is cancelled at any phase, without a word and without a trace (A15, A46)",
    arguments: [
      LoginSnapshot.Phase.resolving, .contacting, .waitingForBrowser, .exchanging,
    ])
  func cancelled(at phase: LoginSnapshot.Phase) async throws {
    let (world, screen, operation) = try await signingIn(to: phase)
    await screen.expectSnapshots(
      after: { try world.models.login.cancel() },
      {
        $0 = LoginSnapshot(
          status: .idle, phase: .signedOut, can: [.loginStart, .loginCreateAccount],
          handle: "bob.test")
      })
    #expect(await world.end(of: operation) == .cancelled)
  }

  @Test("a no in the browser is quiet on the screen; scripts learn it (grain-product §5)")
  func denied() async throws {
    let (world, screen, operation) = try await signingIn(to: .exchanging)
    await screen.expectSnapshots(
      after: { await world.signIn.end(.failure(.denied)) },
      {
        $0 = LoginSnapshot(
          status: .idle, phase: .signedOut, can: [.loginStart, .loginCreateAccount],
          handle: "bob.test")
      })
    #expect(await world.end(of: operation) == .failed(Problem(.loginDenied)))
  }

  @Test(
    "every failure is told with its kind, and goes when it is dismissed",
    arguments: SignInFailure.all)
  func failure(_ failure: SignInFailure) async throws {
    let (world, screen, operation) = try await signingIn(to: .exchanging)
    let problem = Problem(failure.error)
    #expect(problem.kind == failure.kind)
    #expect(!problem.message.fallback.contains { "{}".contains($0) })
    await screen.expectSnapshots(
      after: { await world.signIn.end(.failure(failure.error)) },
      {
        $0 = LoginSnapshot(
          status: .failed, phase: .failed, can: form + [.loginDismissProblem], problem: problem,
          handle: "bob.test")
      })
    #expect(await world.end(of: operation) == .failed(problem))
    await screen.expectSnapshots(
      after: { try world.models.login.dismissProblem() },
      {
        $0 = LoginSnapshot(
          status: .idle, phase: .enteringHandle, can: form, handle: "bob.test")
      })
    await screen.expectRejection(.intentNotAvailable) { try world.models.login.dismissProblem() }
  }

  @Test("typing, closing the form or another try clear a problem as well")
  func problemGoes() async throws {
    let (world, screen, _) = try await signingIn()
    let login = world.models.login
    let failed: (inout LoginSnapshot) -> Void = {
      $0 = LoginSnapshot(
        status: .failed, phase: .failed, can: form + [.loginDismissProblem],
        problem: Problem(.loginExpired), handle: "bob.test")
    }
    await screen.expectSnapshots(
      after: { await world.signIn.end(.failure(.expired)) }, failed)
    await screen.expectSnapshots(
      after: { try login.setHandle("bobb.test") },
      {
        $0 = LoginSnapshot(
          status: .idle, phase: .enteringHandle, can: form, handle: "bobb.test")
      })
    await screen.expectSnapshots(
      after: { try login.submitHandle("bob.test") },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-2",
          handle: "bob.test")
      })
    await screen.expectSnapshots(
      after: { await world.signIn.end(.failure(.expired)) }, failed)
    await screen.expectSnapshots(
      after: { try login.cancel() },
      {
        $0 = LoginSnapshot(
          status: .idle, phase: .signedOut, can: [.loginStart, .loginCreateAccount],
          handle: "bob.test")
      })
  }

  @Test("closing the form, with somebody signed in, shows them again")
  func closed() async throws {
    let (world, screen) = try await opened(.alice)
    await screen.expectSnapshots(
      after: { try world.models.login.cancel() },
      {
        $0.phase = .signedIn
        $0.can = [.loginStart, .loginCreateAccount]
      })
  }

  // MARK: The shell's part

  @Test("a page the person closes ends the sign-in; one that cannot be shown says why")
  func notPresented() async throws {
    let problem = Problem(.effectDenied)
    for (outcome, ending) in [
      (PresentationOutcome.dismissed, OperationCenter.Outcome.cancelled),
      (.failed(problem), .failed(problem)),
    ] {
      let world = await ModelWorld(.nobody)
      world.models.login.shell = ShellDoor(
        abilities: ShellAbilities(effects: ["auth.present"], presentations: ["webview"]),
        present: { _ in outcome })
      _ = try world.models.login.start()
      let accepted = try world.models.login.submitHandle("bob.test")
      await world.signIn.step(.waitingForBrowser(.page))
      #expect(await world.end(of: accepted.operation) == ending)
    }
  }

  @Test("a page that became useless before it was shown is asked for anew (FB-A25)")
  func overdue() async throws {
    let world = await ModelWorld(.nobody)
    let shown = Recorder<AuthPresentation>()
    world.models.login.shell = ShellDoor(
      abilities: ShellAbilities(effects: ["auth.present"], presentations: ["webview"]),
      present: { page in
        shown.record(page)
        return shown.values.count == 1 ? .overdue : .presented
      })
    _ = try world.models.login.start()
    _ = try world.models.login.submitHandle("bob.test")
    await world.signIn.step(.waitingForBrowser(.page))
    while world.signIn.timesShownAgain == 0 { await Task.yield() }
    let fresh = BrowserRequest(url: "https://pds.test/2", host: "pds.test", callback: .core)
    await world.signIn.step(.waitingForBrowser(fresh))
    await shown.wait { $0.count == 2 }
    #expect(shown.values.map(\.url) == [BrowserRequest.page.url, "https://pds.test/2"])
    #expect(world.models.login.snapshot.phase == .waitingForBrowser)
  }

  @Test("without a shell that can show pages, signing in is not offered")
  func noPages() async throws {
    let (world, screen) = try await opened()
    await screen.expectSnapshots(
      after: { world.models.login.shell = ShellDoor() },
      { $0.can = [.loginSetHandle, .loginCancel] })
    await screen.expectRejection(.intentNotAvailable) {
      try world.models.login.submitHandle("bob.test")
    }
    await screen.expectRejection(.intentNotAvailable) { try world.models.login.createAccount() }
  }

  @Test("while the store is out of reach nobody can begin to sign in (FB-E6)")
  func restoring() async throws {
    let world = await ModelWorld(AccountsState(session: .restoring, fault: .keyLocked))
    let screen = world.follow { $0.login.snapshot }
    #expect(screen.snapshot.can == [])
    await screen.expectRejection(.intentNotAvailable) { try world.models.login.start() }
    await screen.expectSnapshots(
      after: { world.accounts.change { $0 = .nobody } },
      { $0.can = [.loginStart, .loginCreateAccount] })
  }
}

/// A failure of a sign-in and the kind it is told as.
struct SignInFailure: Sendable, CustomTestStringConvertible {
  let error: SignInError
  let kind: ErrorKind

  var testDescription: String { "\(error)" }

  private init(_ error: SignInError, _ kind: ErrorKind) {
    self.error = error
    self.kind = kind
  }

  static let all = [
    SignInFailure(.handleInvalid(typed: "bob"), .loginHandleInvalid),
    SignInFailure(.handleNotFound(name: "bob.test"), .loginHandleNotFound),
    SignInFailure(.identityUnreachable(name: "bob.test"), .loginIdentityUnreachable),
    SignInFailure(.handleUnconfirmed(name: "bob.test"), .loginIdentityMismatch),
    SignInFailure(.noServer(name: "bob.test"), .loginNoServer),
    SignInFailure(.serverUnsupported(host: "pds.test", detail: "x"), .loginServerUnsupported),
    SignInFailure(.clientUnavailable(host: "pds.test", detail: nil), .loginClientUnavailable),
    SignInFailure(.refused(host: "pds.test", error: "x", detail: "Why"), .serverError),
    SignInFailure(.callbackMismatch, .loginCallbackMismatch),
    SignInFailure(
      .issuerMismatch(expected: "https://a.test", found: "https://b.test", in: .callback),
      .loginCallbackMismatch),
    SignInFailure(
      .issuerMismatch(expected: "https://a.test", found: nil, in: .callback),
      .loginCallbackMismatch),
    SignInFailure(
      .issuerMismatch(expected: "https://a.test", found: "https://b.test", in: .metadata),
      .loginServerUnsupported),
    SignInFailure(
      .issuerMismatch(expected: "https://a.test", found: "https://b.test", in: .account),
      .loginIdentityMismatch),
    SignInFailure(.expired, .loginExpired),
    SignInFailure(.serverInvalid(typed: "no/where"), .loginServerInvalid),
    SignInFailure(.notAToken, .loginTokenInvalid),
    SignInFailure(.tokenInvalid(host: "platrium.test"), .loginTokenInvalid),
    SignInFailure(.codeSpent(host: "platrium.test", detail: nil), .loginCodeSpent),
    SignInFailure(.identityMismatch, .loginIdentityMismatch),
    SignInFailure(.grantUnusable, .loginServerUnsupported),
    SignInFailure(.remote(.offline), .networkOffline),
    SignInFailure(.remote(.unreachable(host: "pds.test")), .networkTimeout),
    SignInFailure(.remote(.timeout(host: "pds.test")), .networkTimeout),
    SignInFailure(.remote(.dropped(host: "pds.test")), .networkTimeout),
    SignInFailure(.remote(.tls(host: "pds.test")), .networkTLS),
    SignInFailure(.remote(.server(host: "pds.test", detail: nil)), .serverError),
    SignInFailure(
      .remote(.rateLimited(host: "pds.test", retryAfter: .seconds(3))), .serverRateLimited),
    SignInFailure(.remote(.badResponse(host: "pds.test", detail: nil)), .serverBadResponse),
    SignInFailure(.store(.full), .storeFull),
    SignInFailure(.busy, .intentBusy),
  ]
}
