import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("The account list, snapshot by snapshot", .timeLimit(.minutes(1)))
struct AccountListModelTests {
  private typealias Account = AccountListSnapshot.Account
  private static let alice = DID.alice.rawValue
  private static let bob = DID.bob.rawValue

  /// Alice, active, and Bob, as a list at rest shows them.
  private static let both = AccountListSnapshot(
    status: .idle, phase: .ready,
    can: [.accountsSwitch, .accountsMove, .accountsDelete, .accountsSignOut], session: .signedIn,
    account: [
      alice: Account(
        provider: "grain", standing: .ok, can: [.accountsMove, .accountsDelete, .accountsSignOut]),
      bob: Account(
        provider: "grain", standing: .ok,
        can: [.accountsSwitch, .accountsMove, .accountsDelete, .accountsSignOut]),
    ], active: alice)

  /// The same with an operation under way that everything but the order waits for.
  private static func busy(_ snapshot: inout AccountListSnapshot, _ operation: String?) {
    snapshot.status = .busy
    snapshot.operation = operation
    snapshot.can = [.accountsMove]
    for key in snapshot.account.order { snapshot.account[key]?.can = [.accountsMove] }
  }

  /// Bob alone, active.
  private static func bobAlone(_ snapshot: inout AccountListSnapshot) {
    snapshot = AccountListSnapshot(
      status: .idle, phase: .ready, can: [.accountsDelete, .accountsSignOut], session: .signedIn,
      account: [
        bob: Account(provider: "grain", standing: .ok, can: [.accountsDelete, .accountsSignOut])
      ], active: bob)
  }

  @Test("a store whose key is locked away shows who is known, why, and the one way on (FB-E3)")
  func restoring() async {
    var stored = AccountsState.alice
    stored.session = .restoring
    stored.active = nil
    stored.fault = .keyLocked
    let world = await ModelWorld(stored)
    let screen = world.follow { $0.accounts.snapshot }
    let problem = Problem(.keyringLocked)
    #expect(
      screen.snapshot
        == AccountListSnapshot(
          status: .waiting, phase: .restoring, can: [.accountsUnlock], problem: problem,
          session: .restoring, sessionReason: problem.message,
          account: [Self.alice: Account(provider: "grain", standing: .ok)]))
    await screen.expectRejection(.intentNotAvailable) {
      try world.models.accounts.signOut(Self.alice, discardDrafts: false)
    }
    await screen.expectSnapshots(
      after: { world.accounts.change { $0 = .alice } },
      {
        $0 = AccountListSnapshot(
          status: .idle, phase: .ready, can: [.accountsDelete, .accountsSignOut],
          session: .signedIn,
          account: [
            Self.alice: Account(
              provider: "grain", standing: .ok, can: [.accountsDelete, .accountsSignOut])
          ], active: Self.alice)
      })
  }

  @Test("nobody, one, and several: each list is whole")
  func lists() async {
    let empty = await ModelWorld(.nobody)
    #expect(
      empty.models.accounts.snapshot
        == AccountListSnapshot(status: .idle, phase: .empty, can: [], session: .signedOut))
    let both = await ModelWorld(.both)
    #expect(both.models.accounts.snapshot == Self.both)
  }

  @Test("how an account stands, and what it cannot do, is said of each (G109, G110)")
  func standings() async throws {
    var state = AccountsState.both
    state.accounts[0].missingScopes = ["repo:app.bsky.feed.post?action=create"]
    state.accounts[0].handle = "alice.test"
    state.accounts[0].displayName = "Alice"
    state.accounts[0].avatar = "https://cdn.test/alice.jpg"
    state.accounts[1].standing = .expired(.refused)
    let world = await ModelWorld(state)
    let screen = world.follow { $0.accounts.snapshot }
    #expect(
      screen.snapshot.account[Self.alice]
        == Account(
          provider: "grain", handle: "alice.test", displayName: "Alice",
          avatar: Media(uri: "https://cdn.test/alice.jpg"), standing: .scopeMissing,
          unavailable: ["crossPost"],
          can: [.accountsReauthenticate, .accountsMove, .accountsDelete, .accountsSignOut]))
    #expect(
      screen.snapshot.account[Self.bob]
        == Account(
          provider: "grain", standing: .expired,
          can: [.accountsReauthenticate, .accountsMove, .accountsDelete, .accountsSignOut]))
    await screen.expectRejection(.intentNotAvailable) {
      try world.models.accounts.activate(Self.bob)
    }
    await screen.expectSnapshots(
      after: { world.accounts.change { $0.accounts[0].standing = .inactive("takendown") } },
      { $0.account[Self.alice]?.standing = .inactive })
  }

  @Test("a switch changes who is shown and whose drafts are listed in one instant (A30, O8)")
  func switching() async {
    let world = await ModelWorld(.both) {
      $0.add("hers", of: .alice)
      $0.add("his", of: .bob)
    }
    let screen = world.follow { $0.accounts.snapshot }
    var seen: Set<[String]> = []
    let drafts = world.follow { models -> DraftListSnapshot in
      let list = models.drafts.snapshot
      seen.insert([models.accounts.snapshot.active ?? ""] + list.draft.order)
      return list
    }
    await world.accounts.gate.shut()
    let accepted = await screen.expectSnapshots(
      after: { try world.models.accounts.activate(Self.bob) },
      {
        Self.busy(&$0, "op-1")
        $0.phase = .switching
      })
    await screen.expectRejection(.intentNotAvailable) {
      try world.models.accounts.signOut(Self.alice, discardDrafts: false)
    }
    let joined = await screen.expectSnapshots(after: {
      try world.models.accounts.activate(Self.bob)
    })
    #expect(joined == Accepted(operation: accepted?.operation, joined: true))
    await screen.expectSnapshots(
      after: { await world.accounts.gate.open() },
      {
        $0 = Self.both
        $0.active = Self.bob
        $0.account[Self.alice]?.can.insert(.accountsSwitch, at: 0)
        $0.account[Self.bob]?.can.removeFirst()
      })
    #expect(await world.end(of: accepted?.operation) == .succeeded)
    #expect(drafts.snapshot.draft.order == ["his"])
    #expect(seen.isSubset(of: [[Self.alice, "hers"], [Self.bob, "his"]]))
    await drafts.expectSnapshots(after: {}, { $0 = drafts.snapshot })
  }

  @Test("a switch that fails says why, and everybody is where they were (G57)")
  func failedSwitch() async {
    let world = await ModelWorld(.both)
    let screen = world.follow { $0.accounts.snapshot }
    world.accounts.failNext(.sessionExpired)
    let problem = Problem(.accountSessionExpired, params: ["account": .text(Self.bob)])
    let accepted = await screen.expectSnapshots(
      after: { try world.models.accounts.activate(Self.bob) },
      {
        Self.busy(&$0, "op-1")
        $0.phase = .switching
      },
      {
        $0 = Self.both
        $0.status = .failed
        $0.problem = problem
      })
    #expect(await world.end(of: accepted?.operation) == .failed(problem))
  }

  @Test("signing out takes the account off the list; drafts go only when that was said (G58-G60)")
  func signingOut() async {
    let world = await ModelWorld(.both)
    let screen = world.follow { $0.accounts.snapshot }
    await world.accounts.leaving.shut()
    await screen.expectSnapshots(
      after: {
        _ = try world.models.accounts.signOut(Self.alice, discardDrafts: true)
        await world.accounts.leaving.arrivals()
      },
      { Self.busy(&$0, "op-1") },
      {
        Self.bobAlone(&$0)
        Self.busy(&$0, "op-1")
        $0.can = []
        $0.account[Self.bob]?.can = []
      })
    await screen.expectSnapshots(
      after: { await world.accounts.leaving.open() }, { Self.bobAlone(&$0) })
    #expect(world.accounts.discarded == [.alice])
    await world.accounts.leaving.shut()
    await screen.expectSnapshots(
      after: {
        _ = try world.models.accounts.signOut(Self.bob, discardDrafts: false)
        await world.accounts.leaving.arrivals()
      },
      {
        Self.busy(&$0, "op-2")
        $0.can = []
        $0.account[Self.bob]?.can = []
      },
      {
        $0 = AccountListSnapshot(
          status: .busy, phase: .empty, can: [], operation: "op-2", session: .signedOut)
      })
    await screen.expectSnapshots(
      after: { await world.accounts.leaving.open() },
      { $0 = AccountListSnapshot(status: .idle, phase: .empty, can: [], session: .signedOut) })
    #expect(world.accounts.discarded == [.alice])
    await screen.expectRejection(.accountUnknown, field: "/account") {
      try world.models.accounts.signOut(Self.bob, discardDrafts: false)
    }
  }

  @Test("moving changes the order and nothing else")
  func moving() async {
    let world = await ModelWorld(.both)
    let screen = world.follow { $0.accounts.snapshot }
    await screen.expectSnapshots(
      after: { try await world.models.accounts.move(Self.bob, before: Self.alice) },
      {
        let (alice, bob) = ($0.account[Self.alice], $0.account[Self.bob])
        $0.account = [:]
        $0.account[Self.bob] = bob
        $0.account[Self.alice] = alice
      })
    await screen.expectRejection(.accountUnknown, field: "/before") {
      try await world.models.accounts.move(Self.bob, before: "did:web:carol.test")
    }
  }

  @Test("signing in again runs on the sign-in screen; one at a time (G111)")
  func reauthenticating() async {
    var state = AccountsState.both
    state.accounts[1].standing = .expired(.refused)
    let world = await ModelWorld(state)
    let screen = world.follow { $0.accounts.snapshot }
    let accepted = await screen.expectSnapshots(
      after: { try world.models.accounts.reauthenticate(Self.bob) },
      {
        $0.can = [.accountsMove, .accountsSignOut]
        for key in $0.account.order {
          $0.account[key]?.can = [.accountsMove, .accountsSignOut]
        }
      })
    #expect(world.models.login.snapshot.operation == accepted?.operation)
    await world.signIn.begun()
    #expect(world.signIn.attempts == [.account(.bob)])
    let joined = await screen.expectSnapshots(after: {
      try world.models.accounts.reauthenticate(Self.bob)
    })
    #expect(joined?.joined == true)
    await screen.expectSnapshots(
      after: { world.accounts.change { $0 = .both } },
      {
        $0 = Self.both
        for key in $0.account.order { $0.account[key]?.can.removeAll { $0 == .accountsDelete } }
        $0.can.removeAll { $0 == .accountsDelete }
      })
    await screen.expectSnapshots(
      after: {
        await world.signIn.end(.success(.bob))
        _ = await world.end(of: accepted?.operation)
      }, { $0 = Self.both })
  }
}
