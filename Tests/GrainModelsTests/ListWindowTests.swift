import ATSyntax
import GrainServices
import GrainSnapshots
import GrainTestSupport
import StrictJSON
import Testing

@testable import GrainModels

@MainActor
@Suite("Lists fit into the shell's messages (bridge-protocol §4.1)", .timeLimit(.minutes(1)))
struct ListWindowTests {
  /// The smallest message a shell may read, and the usual one.
  nonisolated static let messages = [65_536, 1_048_576]
  private static let count = 1_000

  private func bytes(_ snapshot: some ModelSnapshot) throws -> Int {
    try JSONValueEncoder().encode(snapshot).serialized().count
  }

  /// A text of so many bytes that JSON writes in as many, none of them ASCII.
  private func text(_ bytes: Int) -> String { String(repeating: "é", count: bytes / 2) }

  /// An account with everything as long as it may be.
  private func largest(_ number: Int) throws -> AccountRecord {
    let id = "did:web:\(number)." + String(repeating: "a", count: 2_000)
    return AccountRecord(
      id: AccountID(try DID(id)), handle: text(5_000), displayName: text(5_000),
      avatar: "https://a.test/" + String(repeating: "a", count: 2_000),
      missingScopes: ["blob:image/*", "repo:app.bsky.feed.post", "repo:social.grain.comment"])
  }

  private func usual(_ number: Int) throws -> AccountRecord {
    AccountRecord(
      did: try DID("did:web:account-\(number).test"), handle: nil,
      displayName: "Number \(number) of a thousand", avatar: "https://cdn.test/img/\(number).jpg")
  }

  private func accounts(_ make: (Int) throws -> AccountRecord) async throws -> ModelWorld {
    let all = try (0..<Self.count).map(make)
    let active = try #require(all.last).id
    return await ModelWorld(
      AccountsState(session: .signedIn(active), accounts: all, active: active))
  }

  @Test("a thousand of the largest accounts fit, the active one among them", arguments: messages)
  func largestAccounts(message: Int) async throws {
    let world = try await accounts(largest)
    world.models.budget = StateBudget(messageBytes: message)
    // A problem that names the largest account.
    world.accounts.failNext(.sessionExpired)
    let first = world.accounts.now.accounts[0].id.rawValue
    _ = await world.end(of: try world.models.accounts.activate(first).operation)
    let list = world.models.accounts.snapshot
    #expect(list.problem != nil)
    #expect(try bytes(list) <= world.models.budget.bytes)
    #expect(list.accountCount == Self.count)
    let all = world.accounts.now.accounts.map(\.id.rawValue)
    let shown = list.account.order
    #expect(shown.count >= message / 10_000)
    #expect(shown == Array(all.prefix(shown.count - 1)) + [try #require(all.last)])
    #expect(list.active == shown.last)
    // What is not shown is there all the same.
    _ = try await world.models.accounts.move(all[900], before: all[0])
    #expect(world.models.accounts.snapshot.account.order.first == all[900])
  }

  @Test("a thousand usual accounts are all shown to a usual shell, the first to a small one")
  func usualAccounts() async throws {
    let world = try await accounts(usual)
    #expect(world.models.accounts.snapshot.account.count == Self.count)
    #expect(world.models.accounts.snapshot.accountCount == nil)
    world.models.budget = StateBudget(messageBytes: 65_536)
    let list = world.models.accounts.snapshot
    #expect(try bytes(list) <= world.models.budget.bytes)
    #expect(list.account.count > 100)
    #expect(list.accountCount == Self.count)
  }

  @Test("of a name longer than the AT Protocol allows the beginning is shown, also in words")
  func longName() async throws {
    let world = try await accounts(largest)
    let list = world.models.accounts.snapshot
    let entry = try #require(list.account[list.account.order[0]])
    #expect(entry.displayName == text(640) + "…")
    #expect(entry.handle == text(640) + "…")
    #expect(world.accounts.now.accounts[0].name == "@" + text(640) + "…")
  }

  @Test("a thousand drafts fit, those changed last", arguments: messages)
  func drafts(message: Int) async throws {
    // What JSON writes in six bytes each.
    let title = String(repeating: "\u{1}", count: 600)
    let world = await ModelWorld { galleries in
      for number in 0..<Self.count {
        galleries.add("draft-\(number)", of: .alice) { $0.title = title }
      }
    }
    world.models.budget = StateBudget(messageBytes: message)
    let list = world.models.drafts.snapshot
    #expect(try bytes(list) <= world.models.budget.bytes)
    #expect(list.draft.count > message / 1_100)
    if message == 65_536 {
      #expect(list.draftCount == Self.count)
    } else {
      #expect(list.draftCount == nil)
      #expect(list.draft.count == Self.count)
    }
    #expect(list.draft[list.draft.order[0]]?.title == String(repeating: "\u{1}", count: 85) + "…")
    _ = try await world.models.gallery(list.draft.order[5]).setDetails(GalleryDetails(title: "New"))
    await world.models.drafts.reload()
    #expect(world.models.drafts.snapshot.draft.count >= list.draft.count)
  }

  @Test("of too many devices the first are shown, and this one")
  func devices() async throws {
    let world = await ModelWorld(.three)
    world.models.budget = StateBudget(messageBytes: 65_536)
    let entries = (0..<Self.count).map { number in
      DeviceEntry(
        id: "c-\(number)", kind: .device, name: text(300), platform: "LINUX",
        createdAt: "2026-02-01T08:00:00.000Z", isCurrent: number == 990)
    }
    world.devices.entries = entries
    let model = try world.models.deviceList(of: AccountID.paula.rawValue)
    _ = await world.end(of: try model.refresh().operation)
    let list = model.snapshot
    #expect(try bytes(list) <= world.models.budget.bytes)
    #expect(list.clientCount == Self.count)
    #expect(list.client.count > 50)
    #expect(list.client.order.last == "c-990")
  }

  @Test("a window has the first that fit and the one that must be there, in their order")
  func window() {
    let budget = StateBudget(messageBytes: 6_144 + 100)
    #expect(budget.window([10, 10, 10], frame: 0) == [0, 1, 2])
    #expect(budget.window([60, 50, 10], frame: 0) == [0])
    #expect(budget.window([60, 50, 10], keeping: 2, frame: 0) == [0, 2])
    #expect(budget.window([60, 50, 10], keeping: 1, frame: 0) == [1])
    #expect(budget.window([10, 10, 10], keeping: 0, frame: 75) == [0, 1])
    #expect(budget.window([], frame: 200) == [])
    #expect(budget.window([500], keeping: 0, frame: 0) == [0])
  }
}
