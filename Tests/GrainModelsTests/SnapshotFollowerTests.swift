import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("What a test of a model can rely on", .timeLimit(.minutes(1)))
struct SnapshotFollowerTests {
  private let form: [IntentName] = [
    .loginSetHandle, .loginSubmitHandle, .loginCreateAccount, .loginCancel,
  ]

  @Test("a sign-in is followed snapshot by snapshot, each compared whole")
  func follows() async throws {
    let world = await ModelWorld(.nobody)
    let login = world.models.login
    let screen = world.follow { $0.login.snapshot }
    await screen.expectSnapshots(
      after: { try login.start() },
      {
        $0.phase = .enteringHandle
        $0.can = form
      })
    let accepted = await screen.expectSnapshots(
      after: { try login.submitHandle("bob.test") },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-1",
          handle: "bob.test")
      })
    await screen.expectSnapshots(
      after: { await world.signIn.step(.contacting(host: "pds.test")) },
      {
        $0.phase = .contacting
        $0.serverHost = "pds.test"
      })
    await screen.expectSnapshots(
      after: { await world.signIn.end(.failure(.handleNotFound(name: "bob.test"))) },
      {
        $0 = LoginSnapshot(
          status: .failed, phase: .failed, can: form + [.loginDismissProblem],
          problem: Problem(SignInError.handleNotFound(name: "bob.test")), handle: "bob.test")
      })
    let outcome = await world.end(of: accepted?.operation)
    #expect(outcome == .failed(Problem(SignInError.handleNotFound(name: "bob.test"))))
    await screen.expectRejection(.intentNotAvailable) { try login.callback("grain:/callback") }
  }

  @Test("a snapshot that nobody expected fails the test")
  func unexpected() async {
    let world = await ModelWorld(.nobody)
    let screen = world.follow { $0.login.snapshot }
    await withKnownIssue {
      await screen.expectSnapshots(after: { try world.models.login.start() })
    } matching: { issue in
      "\(issue)".contains(#"/phase: expected "signedOut", found "enteringHandle""#)
    }
  }

  @Test("a snapshot that differs in one member fails the test, which names the member")
  func different() async {
    let world = await ModelWorld(.nobody)
    let screen = world.follow { $0.login.snapshot }
    await withKnownIssue {
      await screen.expectSnapshots(
        after: { try world.models.login.start() },
        {
          $0.phase = .enteringHandle
          $0.can = form
          $0.handle = "alice.test"
        })
    } matching: { issue in
      "\(issue)".contains(#"/handle: expected "alice.test", found """#)
    }
  }

  @Test("a snapshot nobody looked for fails the test when the follower goes")
  func forgotten() async {
    let world = await ModelWorld(.nobody)
    await withKnownIssue {
      let screen = world.follow { $0.login.snapshot }
      _ = try world.models.login.start()
      while screen.snapshot.phase != .enteringHandle { await Task.yield() }
    }
  }

  @Test("a door the test did not stub fails the test when it is called")
  func unstubbed() async throws {
    withKnownIssue { _ = SignInDoor.unstubbed.deliver("grain:/callback") }
    await withKnownIssue { _ = try await GalleryDoor.unstubbed.draft("d") }
    await withKnownIssue { try await AccountsDoor.unstubbed.activate(.alice) }
  }
}
