import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import SystemClients
import Testing

@Suite("When drafts expire (§12)")
struct DraftExpiryTests {
  private static let day = 86_400.0
  private let world: DraftWorld
  private var store: DraftStore { world.drafts }

  init() async throws { world = try await DraftWorld() }

  /// Somebody looks at the drafts, so many days after the world began.
  private func look(at days: Double, _ store: DraftStore? = nil) async throws {
    world.clock.set(Self.start.addingTimeInterval(days * Self.day))
    try await (store ?? self.store).sweep(expiringAfter: 7)
  }

  /// When the draft goes, in days after the world began.
  private func expiry(_ draft: Draft) async throws -> Double? {
    try await world.stored(draft.id).expiry(after: 7).map {
      $0.date.timeIntervalSince(Self.start) / Self.day
    }
  }

  /// What this store's successor would be: a core that is started again.
  private func reopened() throws -> DraftStore {
    try DraftStore(folder: world.accounts.data, clock: world.clock.clock, random: .live)
  }

  private static let start = TestClock().now

  // MARK: An honest clock

  @Test("a draft goes seven days after its last change, whoever it belongs to, and not before")
  func expiry() async throws {
    let hers = try await world.preparedDraft(photos: 1)
    let his = try await store.create(repo: AccountsWorld.bob)
    // Somebody looks every hour.
    for hour in 1...168 {
      try await look(at: Double(hour) / 24)
      if hour == 24 { _ = try await world.change(his.id) { $0.title = "Later" } }
    }
    #expect(try world.folders() == [hers.id, his.id])
    try await look(at: 169 / 24)
    #expect(try await store.draft(hers.id) == nil)
    #expect(try world.folders() == [his.id])
    for hour in 170...192 { try await look(at: Double(hour) / 24) }
    #expect(try world.folders() == [his.id])
    try await look(at: 193 / 24)
    #expect(try world.folders() == [])
  }

  @Test("it stays longer by the longest time in which nobody looked, at most a week, and says so")
  func late() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    for (day, expected) in [(0.5, 7.5), (1, 7.5), (3, 9), (6, 10), (8, 10), (9.9, 10)] {
      try await look(at: day)
      #expect(try await expiry(draft) == expected, "after day \(day)")
    }
    try await look(at: 10)
    #expect(try world.folders() == [])

    let other = try await world.preparedDraft(photos: 1)
    try await look(at: 100)
    #expect(try await expiry(other) == 107)
    try await look(at: 200)
    #expect(try world.folders() == [])
  }

  @Test("a change gives it its seven days again")
  func changed() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try await look(at: 8)
    _ = try await world.change(draft.id) { $0.title = "Still wanted" }
    #expect(try await expiry(draft) == 15)
  }

  @Test("a draft whose publish is unfinished never expires, set aside or not")
  func unfinished() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    _ = try await store.assignKeys(draft.id)
    _ = try await world.change(draft.id) { $0.sending?.isSetAside = true }
    for year in 1...3 { try await look(at: Double(year) * 365) }
    let kept = try await world.stored(draft.id)
    #expect(kept.sending?.isSetAside == true)
    #expect(kept.expiry(after: 7) == nil)
  }

  // MARK: A clock that jumps

  @Test(
    "a start with the clock ahead deletes nothing, also when it is set back afterwards",
    arguments: [6.0, 7, 8, 30, 4000])
  func ahead(days: Double) async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try await look(at: 1)
    let wrong = try reopened()
    // However long that core runs.
    for quarter in 0...12 { try await look(at: 1 + days + Double(quarter) / 4, wrong) }
    #expect(try world.folders() == [draft.id])
    let right = try reopened()
    for quarter in 17...28 { try await look(at: Double(quarter) / 4, right) }
    #expect(try world.folders() == [draft.id])
    for quarter in 29...80 { try await look(at: Double(quarter) / 4, right) }
    #expect(try world.folders() == [], "it is kept for good")
  }

  @Test(
    "one that stays ahead lets a draft go no sooner than seven days after its change",
    arguments: [0.5, 1, 6.5, 7, 8, 12, 30])
  func staysAhead(days: Double) async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try await look(at: 0)
    for quarter in 1...27 { try await look(at: days + Double(quarter) / 4) }
    #expect(try world.folders() == [draft.id])
    for quarter in 28...60 { try await look(at: days + Double(quarter) / 4) }
    #expect(try world.folders() == [])
  }

  @Test("a draft made before the clock was ever set has its week when it is")
  func unset() async throws {
    try await look(at: -20_000)
    let draft = try await world.preparedDraft(photos: 1)
    try await look(at: 0)
    #expect(try await expiry(draft) == 7)
    for day in 1...6 { try await look(at: Double(day)) }
    #expect(try world.folders() == [draft.id])
  }

  @Test("nor does a change under a clock that is behind for a while cost it anything")
  func changedBehind() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try await look(at: 0)
    world.clock.set(Self.start.addingTimeInterval(-9000 * Self.day))
    _ = try await world.change(draft.id) { $0.title = "Typed in another century" }
    for hour in 1...24 { try await look(at: Double(hour) / 24) }
    #expect(try world.folders() == [draft.id])
  }

  @Test("where the look cannot be noted, as on a full disk, nothing expires, and the core starts")
  func fullDisk() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try await look(at: 6)
    try world.accounts.execute(
      "CREATE TRIGGER full BEFORE UPDATE ON setting BEGIN SELECT RAISE(ABORT, 'full'); END")
    for day in [8.0, 10, 12] { try await look(at: day, try reopened()) }
    #expect(try world.folders() == [draft.id])
    try world.accounts.execute("DROP TRIGGER full")
    try await look(at: 12.5)
    #expect(try await expiry(draft) == 19)
  }

  @Test("whenever a clock was wrong for a time, no draft goes within seven days of its last change")
  func anyOneJump() async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let random = SystemRandom.seeded(seed)
    var gone = 0
    for round in 0..<60 {
      let store = try reopened()
      try await store.sweep(expiringAfter: 7)
      var time = Double(round) * 1000 * Self.day
      // Wrong from one moment to another, by up to five weeks forwards or back.
      let wrong = (random.unit() - 0.5) * 70 * Self.day
      let begins = time + random.unit() * 10 * Self.day
      let ends = begins + random.unit() * 10 * Self.day
      func setClock() {
        let offset = (begins..<ends).contains(time) ? wrong : 0
        world.clock.set(Self.start.addingTimeInterval(time + offset))
      }
      setClock()
      let draft = try await store.create(repo: DraftWorld.alice)
      var changed = time
      for _ in 0..<30 {
        time += random.unit() * 2 * Self.day
        setClock()
        guard random.integer(below: 8) == 0 else {
          try await store.sweep(expiringAfter: 7)
          guard try await store.draft(draft.id) == nil else { continue }
          gone += 1
          let age = (time - changed) / Self.day
          #expect(age >= 7, "seed \(seed), round \(round): gone after \(age) days")
          break
        }
        guard try await store.change(draft.id, { $0.title += "." }) != nil else { break }
        changed = time
      }
      try await store.remove(draft.id)
    }
    #expect(gone > 20, "seed \(seed)")
  }
}
