import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import SystemClients
import Testing

@Suite("Accounts that move to another server")
struct RelocationTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private let looks = Counter()
  private static let getRecord = "xrpc/com.atproto.repo.getRecord"
  private static let applyWrites = "xrpc/com.atproto.repo.applyWrites"

  init() async throws {
    world = try await AccountsWorld()
    world.http.answer("new.test/\(Self.getRecord)", .json(#"{"value":{}}"#))
    world.http.answer("new.test/\(Self.applyWrites)", .json("{}"))
    world.http.answer("pds.alice.test/xrpc/com.atproto.server.getSession", .failure(.offline))
    world.http.answer("new.test/xrpc/com.atproto.server.getSession", .failure(.offline))
  }

  private enum Place { case same, sameIssuer, otherIssuer, unknown }

  private func service(_ place: Place, _ grant: Grant? = nil) async throws -> AccountService {
    _ = try await world.store.adopt(grant ?? World.grant(), missingScopes: [])
    let new = try World.url("https://new.test")
    let looks = looks
    let upkeep = AccountUpkeep(
      resolve: { did throws(IdentityError) in throw .didNotFound(did) },
      locate: { grant throws(ATOAuthError) in
        looks.add()
        switch place {
        case .same: return .unmoved
        case .sameIssuer: return .moved(grant.with(pds: new, handle: grant.handle))
        case .otherIssuer: return .needsSignIn(issuer: "https://as.new.test")
        case .unknown: throw .network(host: "plc.directory", .offline)
        }
      }, ensuresProfile: false)
    let service = world.service(upkeep: upkeep)
    await service.restore()
    await service.upkeepEnded()
    return service
  }

  private var lookCount: Int { looks.count }

  /// Counts from inside a door.
  private final class Counter: Sendable {
    private let value = Locked(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  private func read(_ service: AccountService) async -> CallFault? {
    do throws(CallFault) {
      _ = try await service.client(World.alice).getRecord(CollectionNames.gallery, .literalSelf)
      return nil
    } catch {
      return error
    }
  }

  /// Ways in which the old server shows that the account is not there.
  static let signs: [[ScriptedHTTP.Answer]] = [
    [.failure(.cannotConnect("pds.alice.test"))], [.failure(.cannotFindHost("pds.alice.test"))],
    [.failure(.timeout)], [.json(#"{"error":"AccountNotFound"}"#, status: 403)],
    [.json(#"{"error":"RepoNotFound"}"#, status: 400)],
    [.json(#"{"error":"InvalidToken"}"#, status: 401)],
  ]

  @Test(
    "at the same issuer the home server is replaced in place and the call repeated (G101)",
    arguments: signs)
  func moved(sign: [ScriptedHTTP.Answer]) async throws {
    world.http.answer("pds.alice.test/\(Self.getRecord)", sign)
    world.http.answer("as.alice.test/token", .tokens("1"))
    let service = try await service(.sameIssuer)
    #expect(await read(service) == nil)
    #expect(world.http.requests(to: "new.test/\(Self.getRecord)").count == 1)
    #expect(await service.state()?.session == .signedIn(World.alice.account))

    let stored = try #require(try await world.reopenedStore().grant(World.alice))
    #expect(stored.pds == (try World.url("https://new.test")))
    #expect(await read(service) == nil)
    #expect(lookCount == 1)
  }

  @Test("a call that began at the old server is repeated at the new one, whoever found it (G101)")
  func foundByAnother() async throws {
    let gate = Gate()
    world.http.answer(
      "pds.alice.test/\(Self.getRecord)",
      ScriptedHTTP.Answer.failure(.timeout).held(at: gate), .failure(.timeout))
    let service = try await service(.sameIssuer)
    let early = Task { await read(service) }
    await gate.arrivals(atLeast: 1)
    #expect(await read(service) == nil)
    gate.open()
    #expect(await early.value == nil)
    #expect(lookCount == 1)
    #expect(world.http.requests(to: "new.test/\(Self.getRecord)").count == 2)
  }

  @Test(
    "a write that was never taken is repeated there; one that may have landed is not (G108)",
    arguments: [
      (ScriptedHTTP.Answer.failure(.cannotConnect("pds.alice.test")), true),
      (.failure(.timeout), false),
    ])
  func writes(sign: ScriptedHTTP.Answer, repeated: Bool) async throws {
    world.http.answer("pds.alice.test/\(Self.applyWrites)", sign)
    let service = try await service(.sameIssuer)
    let client = try await service.client(World.alice)
    if repeated {
      try await client.applyWrites([])
    } else {
      await #expect(throws: CallFault.self) { try await client.applyWrites([]) }
    }
    #expect(world.http.requests(to: "new.test/\(Self.applyWrites)").count == (repeated ? 1 : 0))
    #expect(try await world.store.grant(World.alice)?.pds == World.url("https://new.test"))
  }

  @Test("a client made before the move goes on at the new server")
  func oldClient() async throws {
    world.http.answer("pds.alice.test/\(Self.getRecord)", .failure(.cannotConnect("x")))
    let service = try await service(.sameIssuer)
    let client = try await service.client(World.alice)
    #expect(await read(service) == nil)
    try await client.applyWrites([])
    #expect(world.http.requests(to: "new.test/\(Self.applyWrites)").count == 1)
  }

  @Test("at another issuer the account waits for a new sign-in, in one tap (G101)")
  func otherIssuer() async throws {
    world.http.answer(
      "pds.alice.test/\(Self.getRecord)", .json(#"{"error":"AccountNotFound"}"#, status: 403))
    world.http.answer("as.alice.test/revoke", .status(503), .json("{}"))
    let service = try await service(.otherIssuer)
    #expect(await read(service) == .sessionExpired(World.alice))
    await service.revocationsEnded()
    #expect(await service.state()?.accounts.map(\.standing) == [.expired(.moved)])
    #expect(await service.state()?.session == .signedOut(.ended(.moved)))
    #expect(try await world.store.grant(World.alice) == nil)
    // The old server takes its tokens until they are revoked there, however often that takes.
    let revocations = world.http.requests(to: "as.alice.test/revoke")
    #expect(revocations.map { form($0)["token"] } == ["refresh-0"])
    #expect(try await world.store.revocations().count == 1)
    await service.stop()
    let next = world.service()
    await next.restore()
    await next.revocationsEnded()
    #expect(try await world.store.revocations().isEmpty)
  }

  @Test(
    "a server that is only down is told as such, and the directory is asked once a minute",
    arguments: [false, true])
  func down(directoryIsDown: Bool) async throws {
    world.http.answer("pds.alice.test/\(Self.getRecord)", .failure(.cannotConnect("x")))
    let service = try await service(directoryIsDown ? .unknown : .same)
    for _ in 0..<3 { #expect(await read(service)?.isTransient == true) }
    #expect(lookCount == 1)
    await world.clock.advance(by: .seconds(61))
    _ = await read(service)
    #expect(lookCount == 2)
    #expect(await service.state()?.accounts.map(\.standing) == [.ok])
  }

  @Test(
    "other refusals, and no network, are no reason to look (FB-A31)",
    arguments: [
      ScriptedHTTP.Answer.failure(.offline), .status(500), .status(429),
      .json(#"{"error":"InvalidRequest"}"#, status: 400),
      .json(#"{"error":"ScopeMissingError"}"#, status: 403),
    ])
  func noReason(answer: ScriptedHTTP.Answer) async throws {
    world.http.answer("pds.alice.test/\(Self.getRecord)", answer)
    let service = try await service(.sameIssuer)
    #expect(await read(service) != nil)
    #expect(lookCount == 0)
  }
}
