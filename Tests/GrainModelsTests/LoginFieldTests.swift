import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("The name field of the sign-in screen", .timeLimit(.minutes(1)))
struct LoginFieldTests {
  private let form: [IntentName] = [
    .loginSetHandle, .loginSubmitHandle, .loginCreateAccount, .loginCancel,
  ]
  private let formWithSuggestions: [IntentName] = [
    .loginSetHandle, .loginHighlight, .loginSubmitHandle, .loginCreateAccount, .loginCancel,
  ]

  private func opened() async throws -> (ModelWorld, SnapshotFollower<LoginSnapshot>) {
    let world = await ModelWorld(.nobody)
    _ = try world.models.login.start()
    return (world, world.follow { $0.login.snapshot })
  }

  @Test(
    "an address that brings a code is refused in the field, and neither shown nor named (FB-A34)",
    arguments: ["social.grain:/oauth/callback?code=cod-1&state=s", "https://a.test/?state=s"])
  func addressOfACallback(pasted: String) async throws {
    let (world, screen) = try await opened()
    let login = world.models.login
    for send in [login.setHandle, login.submitHandle] {
      do {
        _ = try send(pasted)
        Issue.record("it was taken")
      } catch {
        #expect(error.problem.kind == .loginHandleInvalid)
        #expect(!"\(error.problem)".contains("state=s"))
      }
    }
    #expect(login.snapshot.handle.isEmpty)
    #expect(world.signIn.attempts.isEmpty)
    _ = screen
  }

  @Test(
    "takes what people paste, and shows it as they pasted it (FB-A21)",
    arguments: [
      "alice.test", " @Alice.Example ", "at://alice.example", "\u{202A}alice.example\u{202C}",
      "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
    ])
  func spelling(typed: String) async throws {
    let (world, screen) = try await opened()
    await screen.expectSnapshots(
      after: { try world.models.login.submitHandle(typed) },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-1", handle: typed)
      })
    await world.signIn.begun()
    #expect(world.signIn.attempts == [.name(typed)])
  }

  @Test(
    "refuses what is no name at once, beside the field, and asks nobody (FB-A22)",
    arguments: ["alice", "", "   ", "alice..test", "https://alice.test/", "did:nonsense"])
  func invalid(typed: String) async throws {
    let (world, screen) = try await opened()
    await screen.expectRejection(.loginHandleInvalid, field: "/handle") {
      try world.models.login.submitHandle(typed)
    }
    #expect(world.signIn.attempts.isEmpty)
  }

  // MARK: Suggestions

  private func suggestion(_ did: DID, _ handle: String) throws -> HandleSuggestion {
    HandleSuggestion(did: did, handle: try Handle(handle), displayName: "Somebody")
  }

  /// A field in which `al` is typed, and two people who could be meant.
  private func suggesting() async throws -> (ModelWorld, SnapshotFollower<LoginSnapshot>) {
    let (world, screen) = try await opened()
    world.signIn.suggest(
      [try suggestion(.alice, "alice.test"), try suggestion(.bob, "albert.test")], for: "al")
    await screen.expectSnapshots(
      after: { try world.models.login.setHandle("al") },
      { $0.handle = "al" },
      {
        $0.suggestion = OrderedMap([
          (
            DID.alice.rawValue,
            LoginSnapshot.Suggestion(handle: "alice.test", displayName: "Somebody")
          ),
          (
            DID.bob.rawValue,
            LoginSnapshot.Suggestion(handle: "albert.test", displayName: "Somebody")
          ),
        ])
        $0.can = formWithSuggestions
      })
    return (world, screen)
  }

  @Test("the keyboard walks the suggestions: down wraps, up from the first clears")
  func highlight() async throws {
    let (world, screen) = try await suggesting()
    let login = world.models.login
    let (alice, bob) = (DID.alice.rawValue, DID.bob.rawValue)
    for (move, expected) in [
      (SuggestionList.Move.next, alice), (.next, bob), (.next, alice), (.previous, nil),
      (.previous, bob), (.none, nil),
    ] as [(SuggestionList.Move, String?)] {
      await screen.expectSnapshots(
        after: { try login.highlight(move) }, { $0.highlighted = expected })
    }
  }

  @Test("submitting takes the highlighted suggestion, and the list is gone")
  func submitsHighlighted() async throws {
    let (world, screen) = try await suggesting()
    let login = world.models.login
    await screen.expectSnapshots(
      after: { try login.highlight(.next) }, { $0.highlighted = DID.alice.rawValue })
    await screen.expectSnapshots(
      after: { try login.submitHandle("al") },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-1",
          handle: "alice.test")
      })
    await world.signIn.begun()
    #expect(world.signIn.attempts == [.name("alice.test")])
  }

  @Test("submitting another text than the field's takes that text")
  func submitsText() async throws {
    let (world, screen) = try await suggesting()
    _ = await screen.expectSnapshots(
      after: { try world.models.login.highlight(.next) },
      { $0.highlighted = DID.alice.rawValue })
    await screen.expectSnapshots(
      after: { try world.models.login.submitHandle("carol.test") },
      {
        $0 = LoginSnapshot(
          status: .busy, phase: .resolving, can: [.loginCancel], operation: "op-1",
          handle: "carol.test")
      })
  }

  @Test("typing on takes the suggestions away at once, with what was highlighted")
  func typing() async throws {
    let (world, screen) = try await suggesting()
    await screen.expectSnapshots(
      after: { try world.models.login.highlight(.next) },
      { $0.highlighted = DID.alice.rawValue })
    await screen.expectSnapshots(
      after: { try world.models.login.setHandle("alx") },
      {
        $0 = LoginSnapshot(
          status: .idle, phase: .enteringHandle, can: form, handle: "alx")
      })
    await screen.expectRejection(.intentNotAvailable) { try world.models.login.highlight(.next) }
  }
}
