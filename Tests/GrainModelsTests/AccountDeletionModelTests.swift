import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("Deleting an account from the list", .timeLimit(.minutes(1)))
struct AccountDeletionModelTests {
  private static let bob = DID.bob.rawValue

  private func world() async throws -> ModelWorld {
    var state = AccountsState.both
    state.accounts[1].handle = "bob.test"
    return await ModelWorld(state)
  }

  @Test("waits for a fresh sign-in, during which others stay usable, then for the server (A45)")
  func flow() async throws {
    let world = try await world()
    let screen = world.follow { $0.accounts.snapshot }
    let accepted = await screen.expectSnapshots(
      after: { try world.models.accounts.delete(Self.bob, confirm: "Bob.test") },
      {
        $0.status = .busy
        $0.operation = "op-1"
        $0.can = [.accountsSwitch, .accountsMove, .accountsSignOut]
        $0.account[DID.alice.rawValue]?.can = [.accountsMove, .accountsSignOut]
        $0.account[Self.bob]?.can = [.accountsSwitch, .accountsMove]
      })
    #expect(world.models.login.snapshot.operation == accepted?.operation)
    await world.signIn.begun()
    #expect(world.signIn.attempts == [.deletion(.bob)])
    await screen.expectRejection(.intentNotAvailable) {
      try world.models.accounts.delete(Self.bob, confirm: "bob.test")
    }

    await world.accounts.gate.shut()
    await screen.expectSnapshots(
      after: {
        await world.signIn.end(.success(.bob))
        await world.accounts.gate.arrivals()
      },
      {
        $0.can = [.accountsMove]
        for key in $0.account.order { $0.account[key]?.can = [.accountsMove] }
      })
    #expect(world.models.login.snapshot.phase == .signedIn)
    await world.accounts.leaving.shut()
    await screen.expectSnapshots(
      after: {
        await world.accounts.gate.open()
        await world.accounts.leaving.arrivals()
      },
      {
        $0.can = []
        $0.account[Self.bob] = nil
        $0.account[DID.alice.rawValue]?.can = []
      })
    await screen.expectSnapshots(
      after: { await world.accounts.leaving.open() },
      {
        $0.status = .idle
        $0.operation = nil
        $0.can = [.accountsDelete, .accountsSignOut]
        $0.account[DID.alice.rawValue]?.can = [.accountsDelete, .accountsSignOut]
      })
    #expect(await world.end(of: accepted?.operation) == .succeeded)
  }

  @Test("a name that is not typed exactly begins nothing")
  func wrongName() async throws {
    let world = try await world()
    let screen = world.follow { $0.accounts.snapshot }
    for typed in ["bob", "alice.test", "bob.test.", Self.bob] {
      await screen.expectRejection(.rpcInvalidParams, field: "/confirm") {
        try world.models.accounts.delete(Self.bob, confirm: typed)
      }
    }
    // An account without a handle is named by its DID.
    await screen.expectRejection(.rpcInvalidParams, field: "/confirm") {
      try world.models.accounts.delete(DID.alice.rawValue, confirm: "alice.test")
    }
    #expect(world.signIn.attempts.isEmpty)
  }

  nonisolated static let failures:
    [(SignInError?, AccountError?, kind: ErrorKind?, deleted: String)] = [
      (.cancelled, nil, nil, "nothing"),
      (.denied, nil, .loginDenied, "nothing"),
      (.identityMismatch, nil, .loginIdentityMismatch, "nothing"),
      (nil, .deletion(.unconfirmed), .loginExpired, "nothing"),
      (
        nil, .deletion(.refused(.refused(status: 403, error: "Forbidden", message: nil))),
        .serverError, "nothing"
      ),
      (
        nil, .deletion(.refused(.scopeMissing(.bob, scope: "repo:a.b.c?action=delete"))),
        .accountScopeMissing, "nothing"
      ),
      (nil, .deletion(.refused(.accountInactive("takendown"))), .serverError, "nothing"),
      (nil, .deletion(.refused(.remote(.offline))), .networkOffline, "nothing"),
      (
        nil, .deletion(.unfinished(.remote(.timeout(host: "pds.test")))), .networkTimeout, "unknown"
      ),
    ]

  @Test(
    "every failure says what is left of the account, and nothing is claimed", arguments: failures)
  func failure(
    signIn: SignInError?, server: AccountError?, kind: ErrorKind?, deleted: String
  ) async throws {
    let world = try await world()
    if let server { world.accounts.failNext(server) }
    let accepted = try world.models.accounts.delete(Self.bob, confirm: "@bob.test")
    await world.signIn.end(signIn.map { .failure($0) } ?? .success(.bob))
    let outcome = await world.end(of: accepted.operation)
    let list = world.models.accounts.snapshot
    #expect(list.account.order == [DID.alice.rawValue, Self.bob])
    #expect(list.operation == nil)
    guard let kind else {
      #expect(outcome == .cancelled)
      #expect(list.problem == nil)
      return
    }
    guard case .failed(let problem) = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(problem.kind == kind)
    #expect(problem.details?["deleted"] == .text(deleted))
    #expect(problem.message.fallback.contains("othing was deleted") == (deleted == "nothing"))
    #expect(problem.message.fallback.hasSuffix("."))
    #expect(!problem.message.fallback.contains("…"))
    #expect(list.problem == (kind == .loginDenied ? nil : problem))
  }

  @Test("one that is under way since before allows nothing but to do it again or to leave")
  func open() async throws {
    var state = AccountsState.both
    state.accounts[0].deletion = .begun
    let world = await ModelWorld(state)
    #expect(
      world.models.accounts.snapshot.account[DID.alice.rawValue]?.can
        == [.accountsMove, .accountsDelete, .accountsSignOut])
  }
}
