import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("Unlocking the key store", .timeLimit(.minutes(1)))
struct UnlockingTests {
  /// A world whose key store is locked, and a shell that answers so.
  private func world(
    effects: Set<String> = ["auth.present", "keyring.unlock"], _ answer: UnlockOutcome
  ) async -> (world: ModelWorld, asked: Recorder<String>) {
    let world = await ModelWorld(
      AccountsState(session: .restoring, accounts: AccountsState.alice.accounts, fault: .keyLocked))
    let asked = Recorder<String>()
    world.models.login.shell = ShellDoor(
      abilities: ShellAbilities(effects: effects, presentations: ["webview"]),
      unlockKeyring: { operation, reason in
        asked.record("\(operation) \(reason.key)")
        return answer
      })
    return (world, asked)
  }

  @Test("the shell is asked once it is there, and the accounts are there when it has helped")
  func helped() async {
    let (world, asked) = await world(.unlocked)
    world.accounts.open(as: .alice)
    #expect(asked.values.isEmpty)
    let screen = world.follow { $0.accounts.snapshot }
    await screen.expectSnapshots(
      after: { world.models.accounts.shellIsReady() },
      {
        $0.operation = "op-1"
        $0.can = []
      },
      {
        $0 = AccountListSnapshot(
          status: .idle, phase: .ready, can: [.accountsDelete, .accountsSignOut],
          session: .signedIn,
          account: [
            DIDs.alice: .init(
              provider: "grain", standing: .ok, can: [.accountsDelete, .accountsSignOut])
          ], active: DIDs.alice)
      })
    #expect(await world.end(of: "op-1") == .succeeded)
    #expect(asked.values == ["op-1 keyring.locked"])
    #expect(screen.snapshot.session == .signedIn)
    #expect(screen.snapshot.problem == nil)
  }

  @Test(
    "help that does not come leaves everything as it was; who wants to may try again",
    arguments: [
      (UnlockOutcome.dismissed, OperationCenter.Outcome.cancelled),
      (.unavailable, .failed(Problem(.keyringUnavailable))),
      (.failed(Problem(.effectDenied)), .failed(Problem(.effectDenied))),
      (.unlocked, .failed(Problem(.keyringLocked))),
    ])
  func inVain(answer: UnlockOutcome, outcome: OperationCenter.Outcome) async throws {
    let (world, asked) = await world(answer)
    let before = world.models.accounts.snapshot
    world.models.accounts.shellIsReady()
    #expect(await world.end(of: "op-1") == outcome)
    #expect(world.models.accounts.snapshot == before)
    #expect(before.can == [.accountsUnlock])
    // Not again by itself, whatever else happens.
    world.accounts.change { $0.accounts[0].displayName = "Alice" }
    await world.models.accounts.catchUp()
    #expect(asked.values.count == 1)
    let again = try world.models.accounts.unlock()
    #expect(try world.models.accounts.unlock() == Accepted(operation: "op-2", joined: true))
    #expect(await world.end(of: again.operation) == outcome)
    #expect(asked.values.count == 2)
    #expect(world.accounts.attempts == (answer == .unlocked ? 2 : 0))
  }

  @Test(
    "given up at any moment it ends as cancelled, leaves everything as it was, and can be tried again",
    arguments: ["at once", "while the shell is asked", "while the store is opened"])
  func givenUp(moment: String) async throws {
    let (world, asked) = await world(.unlocked)
    let before = world.models.accounts.snapshot
    let hint = Gate()
    world.models.login.shell.unlockKeyring = { operation, _ in
      asked.record(operation)
      guard moment == "while the shell is asked", operation == "op-1" else { return .unlocked }
      hint.open()
      // As the bridge does: what is withdrawn counts as dismissed.
      while !Task.isCancelled { await Task.yield() }
      return .dismissed
    }
    if moment == "while the store is opened" { await world.accounts.gate.shut() }
    let accepted = try world.models.accounts.unlock()
    let operation = try #require(accepted.operation)
    switch moment {
    case "while the shell is asked": await hint.pass()
    case "while the store is opened": await world.accounts.gate.arrivals()
    default: break
    }
    #expect(world.models.operations.cancel(operation) == true)
    await world.accounts.gate.open()
    #expect(await world.end(of: operation) == .cancelled)
    #expect(world.models.accounts.snapshot == before)
    #expect(world.models.operations.cancel(operation) == false)

    world.accounts.open(as: .alice)
    let again = try world.models.accounts.unlock()
    #expect(await world.end(of: again.operation) == .succeeded)
    #expect(world.models.accounts.snapshot.session == .signedIn)
  }

  @Test("a shell that cannot help is not asked; trying again is possible all the same")
  func cannotHelp() async throws {
    let (world, asked) = await world(effects: ["auth.present"], .unlocked)
    world.models.accounts.shellIsReady()
    world.accounts.open(as: .alice)
    let accepted = try world.models.accounts.unlock()
    #expect(await world.end(of: accepted.operation) == .succeeded)
    #expect(asked.values.isEmpty)
    #expect(world.models.accounts.snapshot.session == .signedIn)
    #expect(throws: IntentRejection.self) { try world.models.accounts.unlock() }
  }
}

/// Ids of the accounts in these tests.
private enum DIDs {
  static let alice = "did:web:alice.test"
}
