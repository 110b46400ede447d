import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import StrictJSON
import SystemClients
import Testing

@Suite("What others do before an account leaves")
struct AccountHooksTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private let heard = Heard()

  init() async throws { world = try await AccountsWorld() }

  /// What the hooks were called with, in order.
  private final class Heard: Sendable {
    private let list = Locked<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ text: String) { list.withLock { $0.append(text) } }
  }

  /// Unregisters at the server, and notes every call.
  private func hooks(limit: Duration = .seconds(4)) -> AccountHooks {
    AccountHooks(limit: limit) { [heard] did, call in
      heard.add("leaves \(did)")
      do throws(CallFault) {
        _ = try await call?(MethodNames.unregisterPushToken, ["token": "t"])
        heard.add("unregistered")
      } catch {
        heard.add("failed")
      }
    } didActivate: { [heard] did in
      heard.add("shown \(did?.rawValue ?? "nobody")")
    }
  }

  private static let unregister = "pds.alice.test/xrpc/dev.hatk.push.unregisterToken"

  @Test("signing out unregisters first, with credentials that still work, then revokes (G58, G59)")
  func signOut() async throws {
    world.http.answer(Self.unregister, .json("{}"))
    world.http.answer("as.alice.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant(), hooks: hooks())
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(world.http.requests.map { $0.url.path() }.last == "/revoke")
    let call = try #require(world.http.requests(to: Self.unregister).first)
    #expect(call.headers["Authorization"] == "DPoP access-0")
    #expect(call.headers["atproto-proxy"] != nil)
    #expect(heard.all == ["leaves \(World.alice)", "unregistered", "shown nobody"])
  }

  @Test("a server that refuses to unregister does not keep anybody signed in (G60)")
  func refused() async throws {
    world.http.answer(Self.unregister, .status(500))
    world.http.answer("as.alice.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant(), hooks: hooks())
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(heard.all.contains("failed"))
    #expect(await service.state()?.accounts == [])
  }

  @Test("a hook that does not come back is given up after its time")
  func slow() async throws {
    world.http.answer("as.alice.test/revoke", .json("{}"))
    let clock = world.clock
    let stubborn = Gate()
    defer { stubborn.open() }
    let service = try await world.restored(
      World.grant(),
      hooks: AccountHooks(limit: .seconds(4)) { _, _ in
        // Takes no notice of being cancelled.
        await stubborn.pass()
      })
    let leaving = Task { try await service.signOut(World.alice.account, discardDrafts: false) }
    await stubborn.arrivals(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(4))
    try await leaving.value
    #expect(await service.state()?.accounts == [])
  }

  @Test("a switch tells the account that goes, then the one that comes (grain-product §4)")
  func switching() async throws {
    world.http.answer(Self.unregister, .json("{}"))
    let service = try await world.restored(
      World.grant(World.bob), World.grant(), hooks: hooks())
    try await service.activate(World.bob.account)
    #expect(
      heard.all == ["leaves \(World.alice)", "unregistered", "shown \(World.bob)"])
    try await service.activate(World.bob.account)
    #expect(heard.all.filter { $0.hasPrefix("leaves") }.count == 1)
  }

  @Test("an account that is not shown leaves without a hook (grain-product §3)")
  func signOutOther() async throws {
    world.http.answer("as.bob.test/revoke", .json("{}"))
    let service = try await world.restored(
      World.grant(World.bob), World.grant(), hooks: hooks())
    try await service.signOut(World.bob.account, discardDrafts: false)
    #expect(heard.all.isEmpty)
  }

  @Test("an account whose grant has ended leaves without a word")
  func expired() async throws {
    let grant = try World.grant()
    _ = try await world.store.adopt(grant, missingScopes: [])
    _ = try await world.store.end(grant, .refused)
    let service = world.service(hooks: hooks())
    await service.restore()
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(!heard.all.contains { $0.hasPrefix("leaves") })
    #expect(world.http.requests.isEmpty)
  }
}
