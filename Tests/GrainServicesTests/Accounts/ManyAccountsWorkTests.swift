import ATOAuth
import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import SystemClients
import Testing

@Suite("What a change of a long list costs", .timeLimit(.minutes(1)))
struct ManyAccountsWorkTests {
  private typealias World = AccountsWorld

  /// The database's work for one of each change, in a list so long; not counting the reading of the list.
  private func costs(_ count: Int) async throws -> [String: Int] {
    let world = try await World()
    let dids = try (0..<count).map { number in
      try DID("did:plc:" + String(repeating: "a", count: 20) + Self.letters(number))
    }
    try await world.fill(dids)
    let service = world.service()
    await service.restore()
    var costs: [String: Int] = [:]
    func measure(_ name: String, _ change: () async throws -> Void) async throws {
      let before = await world.store.work
      try await change()
      costs[name] = await world.store.work - before
    }
    let (first, middle, last) = (dids[0].account, dids[count / 2], dids[count - 1].account)
    try await measure("update") {
      _ = try await world.store.update(middle.account) { $0.displayName = "Somebody" }
    }
    try await measure("activate") { _ = try await world.store.activate(middle.account) }
    try await measure("move") { try await service.move(last, before: first) }
    try await measure("move into the middle") {
      try await service.move(first, before: middle.account)
    }
    let grant = try #require(try await world.store.grant(middle))
    try await measure("new tokens") {
      _ = try await world.store.replace(
        grant.with(tokens: World.grant(tokens: "9").tokens), after: grant)
    }
    try await measure("sign-in") {
      try await service.adopt(World.grant(revocable: false))
      await service.revocationsEnded()
    }
    try await measure("sign-out") {
      try await service.signOut(middle.account, discardDrafts: false)
    }
    await service.stop()
    return costs
  }

  /// Four letters for a number, in its order.
  private static func letters(_ number: Int) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz")
    return String(
      [number / 17576 % 26, number / 676 % 26, number / 26 % 26, number % 26].map { alphabet[$0] })
  }

  @Test("is the same with 500 accounts as with 10: rows are looked at one by one, not all")
  func changes() async throws {
    let (few, many) = (try await costs(10), try await costs(500))
    #expect(few.count == 7)
    for (name, cost) in few.sorted(by: { $0.key < $1.key }) {
      let other = try #require(many[name])
      print("\(name): \(cost) steps with 10 accounts, \(other) with 500")
      #expect(cost > 0, "\(name)")
      #expect(other <= cost + cost / 4, "\(name): \(cost) → \(other)")
    }
  }

  @Test("a start reads the list once: ten times the accounts, ten times the work")
  func restoring() async throws {
    func cost(_ count: Int) async throws -> Int {
      let world = try await World()
      try await world.fill(
        try (0..<count).map {
          try DID("did:plc:" + String(repeating: "b", count: 20) + Self.letters($0))
        })
      let store = try await world.reopenedStore()
      let service = AccountService(
        store: store, drafts: world.drafts, http: world.http.client, environment: world.environment,
        configuration: CoreConfiguration(), log: .silent)
      await service.restore()
      await service.stop()
      return await store.work
    }
    let (few, many) = (try await cost(50), try await cost(500))
    print("restoring: \(few) steps with 50 accounts, \(many) with 500")
    #expect(many <= 11 * few)
    // Once, not once for everybody who asks: what a single reading takes is the measure.
    let world = try await World()
    try await world.fill(
      try (0..<500).map {
        try DID("did:plc:" + String(repeating: "b", count: 20) + Self.letters($0))
      })
    let store = try await world.reopenedStore()
    _ = try await store.load()
    #expect(many < 2 * (await store.work))
  }
}
