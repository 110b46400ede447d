import ATSyntax
import Testing

@testable import GrainServices

@Suite("The session machine")
struct SessionMachineTests {
  static let alice = did("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa").account
  static let bob = did("did:plc:bbbbbbbbbbbbbbbbbbbbbbbb").account

  static let states: [SessionState] = [
    .restoring, .signedOut(nil), .signedOut(.permissionsChanged), .authenticating(over: nil),
    .authenticating(over: alice), .signedIn(alice), .refreshing(alice), .revoked(alice, .refused),
  ]

  static let events: [SessionEvent] = [
    .restored(alice), .restored(nil), .migrationRemovedLast, .storeUnavailable, .signInBegan,
    .signInSucceeded(bob), .signInEnded, .refreshBegan(alice), .refreshBegan(bob),
    .refreshEnded(alice), .refreshEnded(bob), .grantEnded(alice, .refused),
    .grantEnded(bob, .refused), .successor(bob), .successor(nil), .switched(to: bob),
    .signedOut(alice, next: bob), .signedOut(alice, next: nil), .signedOut(bob, next: nil),
  ]

  /// Every cell of the table that is not empty (grain-product §3).
  static let table: [(SessionState, SessionEvent, SessionState)] = [
    (.restoring, .restored(alice), .signedIn(alice)),
    (.restoring, .restored(nil), .signedOut(nil)),
    (.restoring, .migrationRemovedLast, .signedOut(.permissionsChanged)),
    (.restoring, .storeUnavailable, .restoring),
    (.signedOut(nil), .signInBegan, .authenticating(over: nil)),
    (.signedOut(.permissionsChanged), .signInBegan, .authenticating(over: nil)),
    (.signedIn(alice), .signInBegan, .authenticating(over: alice)),
    (.refreshing(alice), .signInBegan, .authenticating(over: alice)),
    (.revoked(alice, .refused), .signInBegan, .authenticating(over: nil)),
    (.authenticating(over: nil), .signInSucceeded(bob), .signedIn(bob)),
    (.authenticating(over: alice), .signInSucceeded(bob), .signedIn(bob)),
    (.authenticating(over: nil), .successor(bob), .authenticating(over: bob)),
    (.authenticating(over: nil), .signInEnded, .signedOut(nil)),
    (.authenticating(over: alice), .signInEnded, .signedIn(alice)),
    (.signedIn(alice), .refreshBegan(alice), .refreshing(alice)),
    (.refreshing(alice), .refreshEnded(alice), .signedIn(alice)),
    (.signedIn(alice), .grantEnded(alice, .refused), .revoked(alice, .refused)),
    (.refreshing(alice), .grantEnded(alice, .refused), .revoked(alice, .refused)),
    (.authenticating(over: alice), .grantEnded(alice, .refused), .authenticating(over: nil)),
    (.revoked(alice, .refused), .successor(bob), .signedIn(bob)),
    (.revoked(alice, .refused), .successor(nil), .signedOut(.ended(.refused))),
    (.signedIn(alice), .switched(to: bob), .signedIn(bob)),
    (.refreshing(alice), .switched(to: bob), .signedIn(bob)),
    (.authenticating(over: alice), .switched(to: bob), .authenticating(over: bob)),
    (.signedIn(alice), .signedOut(alice, next: bob), .signedIn(bob)),
    (.signedIn(alice), .signedOut(alice, next: nil), .signedOut(nil)),
    (.refreshing(alice), .signedOut(alice, next: bob), .signedIn(bob)),
    (.refreshing(alice), .signedOut(alice, next: nil), .signedOut(nil)),
    (.authenticating(over: alice), .signedOut(alice, next: bob), .authenticating(over: bob)),
    (.authenticating(over: alice), .signedOut(alice, next: nil), .authenticating(over: nil)),
  ]

  @Test("follows the table in every state for every event, and nothing else (A3)")
  func everyCell() {
    for state in Self.states {
      for event in Self.events {
        let cell = Self.table.first { $0.0 == state && $0.1 == event }
        var machine = SessionMachine(state: state)
        let listed = machine.apply(event)
        #expect(listed == (cell != nil), "\(state) on \(event)")
        #expect(machine.state == cell?.2 ?? state, "\(state) on \(event)")
      }
    }
  }

  @Test("starts by restoring, which shows nobody's data")
  func starts() {
    let machine = SessionMachine()
    #expect(machine.state == .restoring)
    #expect(machine.state.account == nil)
  }

  @Test("a store that cannot be read is never signed out (A43)")
  func unreadableStore() {
    var machine = SessionMachine()
    machine.apply(.storeUnavailable)
    #expect(machine.state == .restoring)
    machine.apply(.restored(Self.alice))
    #expect(machine.state == .signedIn(Self.alice))
  }
}
