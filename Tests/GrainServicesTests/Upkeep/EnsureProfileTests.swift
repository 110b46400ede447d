import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import StrictJSON
import Testing

@Suite("A Grain profile for who has none")
struct EnsureProfileTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private static let getRecord = "pds.alice.test/xrpc/com.atproto.repo.getRecord"
  private static let applyWrites = "pds.alice.test/xrpc/com.atproto.repo.applyWrites"
  private static let indexRecords = "pds.alice.test/xrpc/social.grain.sync.indexRecords"
  private static let none = ScriptedHTTP.Answer.json(#"{"error":"RecordNotFound"}"#, status: 400)

  init() async throws {
    world = try await AccountsWorld()
    world.http.answer(Self.applyWrites, .json("{}"))
    world.http.answer(Self.indexRecords, .json("{}"))
  }

  private func signIn(ensuring: Bool = true, scope: String? = nil) async throws -> AccountService {
    let service = world.service(
      upkeep: AccountUpkeep(
        resolve: { did throws(IdentityError) in throw .didNotFound(did) },
        locate: { _ in .unmoved }, ensuresProfile: ensuring))
    await service.restore()
    await service.signInBegan()
    try await service.adopt(World.grant(scope: scope))
    return service
  }

  /// The record that was written.
  private var written: JSONValue? {
    guard case .bytes(let bytes) = world.http.requests(to: Self.applyWrites).first?.body else {
      return nil
    }
    // A body that is no JSON fails the expectation on the record.
    return try? JSONParser.parse(bytes)["writes"]?.arrayValue?.first
  }

  @Test("it is made from the Bluesky profile, and the AppView is told (G114)")
  func copied() async throws {
    let avatar =
      #"{"$type":"blob","ref":{"$link":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"},"#
      + #""mimeType":"image/jpeg","size":9}"#
    world.http.answer(
      Self.getRecord, Self.none,
      .json(
        """
        {"value":{"$type":"app.bsky.actor.profile","displayName":"Alice","description":"Harbours",
        "avatar":\(avatar),"pinnedPost":{"uri":"at://x"},"createdAt":"2020-01-01T00:00:00Z"}}
        """))
    let service = try await signIn()
    await service.upkeepEnded()
    #expect(written?["collection"] == "social.grain.actor.profile")
    #expect(written?["rkey"] == "self")
    let record = written?["value"]
    #expect(record?["displayName"] == "Alice")
    #expect(record?["description"] == "Harbours")
    #expect(record?["avatar"] == (try JSONParser.parse(Array(avatar.utf8))))
    #expect(record?["createdAt"] == "2026-03-01T12:00:00.000Z")
    #expect(record?["pinnedPost"] == nil)
    #expect(world.http.requests(to: Self.indexRecords).count == 1)
  }

  @Test("who has a Grain profile keeps it")
  func kept() async throws {
    world.http.answer(Self.getRecord, .json(#"{"value":{}}"#))
    await (try signIn()).upkeepEnded()
    #expect(world.http.addresses == [Self.getRecord])
  }

  @Test("who has none anywhere gets one that holds only its date")
  func bare() async throws {
    world.http.answer(Self.getRecord, Self.none)
    await (try signIn()).upkeepEnded()
    #expect(written?["value"]?.objectValue?.keys == ["$type", "createdAt"])
  }

  @Test("what Grain's lexicon does not take is left out, the rest is copied")
  func tooLong() async throws {
    let long = String(repeating: "x", count: 5000)
    world.http.answer(
      Self.getRecord, Self.none,
      .json(#"{"value":{"displayName":"Alice","description":"\#(long)"}}"#))
    await (try signIn()).upkeepEnded()
    #expect(written?["value"]?["displayName"] == "Alice")
    #expect(written?["value"]?["description"] == nil)
  }

  @Test("sign-in waits for none of it (FB-A26)")
  func notWaiting() async throws {
    let gate = Gate()
    world.http.answer(Self.getRecord, Self.none.held(at: gate))
    let service = try await signIn()
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    gate.open()
    await service.upkeepEnded()
  }

  @Test(
    "and fails with none of it (FB-A26)",
    arguments: [
      ScriptedHTTP.Answer.status(500), .failure(.timeout), .failure(.offline),
    ])
  func notFailing(answer: ScriptedHTTP.Answer) async throws {
    world.http.answer(Self.getRecord, answer)
    let service = try await signIn()
    await service.upkeepEnded()
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    #expect(written == nil)
  }

  @Test("without the permission nothing is written (G110)")
  func withoutScope() async throws {
    world.http.answer(Self.getRecord, Self.none)
    await (try signIn(scope: "atproto")).upkeepEnded()
    #expect(written == nil)
  }

  @Test("a configuration can turn it off")
  func off() async throws {
    await (try signIn(ensuring: false)).upkeepEnded()
    #expect(world.http.requests.isEmpty)
    #expect(CoreConfiguration().ensureProfile)
  }
}
