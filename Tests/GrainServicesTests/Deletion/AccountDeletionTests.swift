import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

@Suite("An account's deletion")
struct AccountDeletionTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws {
    world = try await AccountsWorld()
    world.http.answer(Self.request, .json("{}"))
    world.http.answer(Self.listing, .json(#"{"records":[]}"#))
    world.http.answer("as.alice.test/revoke", .json("{}"))
  }

  private static let request = "pds.alice.test/xrpc/social.grain.unspecced.deleteAccount"
  private static let listing = "pds.alice.test/xrpc/com.atproto.repo.listRecords"
  private static let writing = "pds.alice.test/xrpc/com.atproto.repo.applyWrites"
  private static let indexing = "pds.alice.test/xrpc/social.grain.sync.indexRecords"

  private static func records(_ keys: [String], of did: DID = World.alice) -> ScriptedHTTP.Answer {
    let records = keys.map { key -> JSONValue in
      ["uri": .string("at://\(did)/social.grain.gallery.item/\(key)"), "cid": "c", "value": [:]]
    }
    return .json(JSONValue.object(["records": .array(records)]).text())
  }

  private func failure(_ service: AccountService, _ did: DID = World.alice) async -> AccountError? {
    do throws(AccountError) {
      try await service.delete(did.account)
      return nil
    } catch {
      return error
    }
  }

  @Test("does not begin unless its owner has just signed in for it, once and not long ago (A45)")
  func confirmation() async throws {
    let service = try await world.restored(World.grant())
    #expect(await failure(service) == .deletion(.unconfirmed))
    // A sign-in for another reason confirms nothing.
    try await service.adopt(World.grant(tokens: "1"))
    #expect(await failure(service) == .deletion(.unconfirmed))
    try await service.adopt(World.grant(tokens: "2"), .deletion)
    await world.clock.advance(by: .seconds(300))
    #expect(await failure(service) == .deletion(.unconfirmed))
    #expect(world.http.requests(to: Self.request).isEmpty)

    try await service.adopt(World.grant(tokens: "3"), .deletion)
    #expect(await failure(service) == nil)
    #expect(await failure(service) == .unknown)
    #expect(world.http.requests(to: Self.request).count == 1)
    await service.revocationsEnded()
  }

  @Test("a sign-in that confirms it leaves whoever is active active (A45)")
  func activeStays() async throws {
    let service = try await world.restored(World.grant(), World.grant(World.bob))
    await service.signInBegan()
    try await service.adopt(World.grant(tokens: "1"), .deletion)
    let state = await service.state()
    #expect(state?.active == World.bob.account)
    #expect(state?.session == .signedIn(World.bob.account))
    #expect(try await world.store.grant(World.alice)?.tokens.accessToken.revealText() == "access-1")
    #expect(await failure(service) == nil)
    #expect(await service.state()?.session == .signedIn(World.bob.account))
    #expect(await service.state()?.accounts.map(\.id.did) == [World.bob])
    await service.revocationsEnded()
  }

  @Test("a grant that does not allow all of it deletes nothing (G109, G110)")
  func scope() async throws {
    let service = try await world.restored(World.grant())
    let scope = (CoreConfiguration().appView?.scope ?? "").replacing(
      " repo:social.grain.story", with: "")
    try await service.adopt(World.grant(tokens: "1", scope: scope), .deletion)
    #expect(
      await failure(service)
        == .deletion(
          .refused(.scopeMissing(World.alice, scope: "repo:social.grain.story?action=delete"))))
    #expect(world.http.requests(to: Self.request).isEmpty)
    #expect(await service.state()?.accounts.first?.deletion == nil)
    await service.revocationsEnded()
  }

  @Test("takes only records of its own repository and collection, whatever a server lists")
  func foreign() async throws {
    let service = try await world.restored(World.grant())
    try await service.adopt(World.grant(tokens: "1"), .deletion)
    world.http.answer(Self.listing, Self.records(["a", "b"], of: World.bob))
    #expect(await failure(service) == nil)
    #expect(world.http.requests(to: Self.writing).isEmpty)
    await service.revocationsEnded()
  }

  @Test("a server that deletes and still lists is not asked for ever; the deletion stays open")
  func stubborn() async throws {
    let service = try await world.restored(World.grant())
    try await service.adopt(World.grant(tokens: "1"), .deletion)
    world.http.answer(Self.listing, Self.records(["a"]))
    world.http.answer(Self.writing, .json("{}"))
    world.http.answer(Self.indexing, .json("{}"))
    #expect(
      await failure(service)
        == .deletion(
          .unfinished(
            .remote(
              .badResponse(host: "pds.alice.test", detail: "deleted records are still there")))))
    #expect(world.http.requests(to: Self.writing).count == 1)
    #expect(await service.state()?.accounts.first?.deletion == .begun)

    // A sign-in to use the account calls it off.
    try await service.adopt(World.grant(tokens: "2"))
    #expect(await service.state()?.accounts.first?.deletion == nil)
    await service.revocationsEnded()
  }

  @Test("a sign-in to use the account stops its deletion, even in the middle of a request")
  func stopped() async throws {
    let service = try await world.restored(World.grant())
    try await service.adopt(World.grant(tokens: "1"), .deletion)
    let gate = Gate()
    world.http.answer(Self.listing, Self.records(["a"]))
    // A commit that takes for ever, unless it is called off.
    let endless = ScriptedHTTP.Answer { _ throws(HTTPError) in
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        gate.open()
      }
      throw .cancelled
    }
    world.http.answer(Self.writing, endless)
    let deletion = Task { await failure(service) }
    await gate.arrivals(atLeast: 1)
    try await service.adopt(World.grant(tokens: "2"))
    #expect(await deletion.value == .deletion(.stopped))
    let state = await service.state()
    #expect(state?.session == .signedIn(World.alice.account))
    #expect(state?.accounts.map(\.deletion) == [nil])
    #expect(try await world.store.grant(World.alice)?.tokens.accessToken.revealText() == "access-2")
    #expect(world.http.requests(to: Self.writing).count == 1)

    let next = world.service()
    await next.restore()
    await next.deletionsEnded()
    #expect(try world.count("account") == 1)
    #expect(world.http.requests(to: Self.request).count == 1)
    await service.revocationsEnded()
  }

  @Test("drafts that cannot be removed keep the account until they can")
  func drafts() async throws {
    let service = try await world.restored(World.grant())
    let draft = try await world.drafts.create(repo: World.alice)
    try world.execute(
      "CREATE TRIGGER stuck BEFORE DELETE ON draft BEGIN SELECT RAISE(ABORT, 'stuck'); END")
    try await service.adopt(World.grant(tokens: "1"), .deletion)
    guard case .deletion(.unfinished(.store)) = await failure(service) else {
      Issue.record("the deletion is said to be over")
      return
    }
    #expect(try world.count("account") == 1)
    try world.execute("DROP TRIGGER stuck")
    let next = world.service()
    await next.restore()
    await next.deletionsEnded()
    #expect(try world.count("account") == 0)
    #expect(try await world.drafts.draft(draft.id) == nil)
    await service.stop()
    await next.stop()
  }
}
