import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import JOSE
import OAuth
import StrictJSON
import Testing

@Suite("What is learnt of an account by itself")
struct UpkeepTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private static let session = "xrpc/com.atproto.server.getSession"
  private static let applyWrites = "pds.alice.test/xrpc/com.atproto.repo.applyWrites"

  init() async throws { world = try await AccountsWorld() }

  private func answer(_ list: ScriptedHTTP.Answer..., of name: String = "alice") {
    world.http.answer("pds.\(name).test/\(Self.session)", list)
  }

  private static func session(
    _ did: DID = AccountsWorld.alice, handle: String = "alice.test", _ more: String = ""
  ) -> ScriptedHTTP.Answer {
    .json(
      #"{"did":"\#(did)","handle":"\#(handle)"\#(more)}"#, headers: ["DPoP-Nonce": "warm"])
  }

  /// A service that looks after its accounts; the network says nothing of where they live.
  private func service(
    _ grants: Grant..., resolving handle: String? = nil,
    finding confirmation: HandleConfirmation? = nil
  ) async throws -> AccountService {
    for grant in grants { _ = try await world.store.adopt(grant, missingScopes: []) }
    let upkeep = AccountUpkeep(
      resolve: { did throws(IdentityError) in
        do {
          let found = try confirmation ?? handle.map { .confirmed(try Handle($0)) }
          if let found {
            let pds = try World.url("https://pds.alice.test")
            return Identity(did: did, confirmation: found, pds: pds)
          }
        } catch {
          throw .invalidInput("\(handle ?? "")")
        }
        throw .unreachable(host: "plc.directory", nil)
      }, locate: { _ in .unmoved }, ensuresProfile: false)
    let service = world.service(upkeep: upkeep)
    await service.restore()
    return service
  }

  @Test("a launch learns a nonce of the active account's server only (G102)")
  func warming() async throws {
    answer(Self.session())
    let service = try await service(World.grant(World.bob), World.grant())
    await service.upkeepEnded()
    #expect(world.http.addresses == ["pds.alice.test/\(Self.session)"])

    world.http.answer(Self.applyWrites, .json("{}"))
    try await service.client(World.alice).applyWrites([])
    let proof = world.http.requests(to: Self.applyWrites).first?.headers["DPoP"] ?? ""
    #expect(try claims(proof)["nonce"]?.stringValue == "warm")
  }

  @Test("what is shown does not wait for the network (A43)")
  func notWaiting() async throws {
    let gate = Gate()
    answer(Self.session().held(at: gate))
    let service = try await service(World.grant())
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    gate.open()
    await service.upkeepEnded()
  }

  @Test("a switch does the same for the incoming account, and does not wait either (G102)")
  func switching() async throws {
    let gate = Gate()
    answer(Self.session())
    answer(Self.session(World.bob, handle: "bob.test").held(at: gate), of: "bob")
    let service = try await service(World.grant(World.bob), World.grant())
    await service.upkeepEnded()
    try await service.activate(World.bob.account)
    #expect(await service.state()?.active == World.bob.account)
    gate.open()
    await service.upkeepEnded()
    #expect(world.http.addresses.last == "pds.bob.test/\(Self.session)")
  }

  @Test(
    "no network at launch changes nothing (A43, FB-A29)",
    arguments: [
      ScriptedHTTP.Answer.failure(.offline), .status(500), .json("[]"), .json(#"{"did":"x"}"#),
      .json(#"{"did":"did:plc:bbbbbbbbbbbbbbbbbbbbbbbb","active":false}"#),
    ])
  func unreachable(answer: ScriptedHTTP.Answer) async throws {
    self.answer(answer)
    let service = try await service(World.grant())
    await service.upkeepEnded()
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    #expect(await service.state()?.accounts.map(\.standing) == [.ok])
  }

  // MARK: The account's state

  @Test(
    "an account that is not active stands so, in its server's word (wire §13)",
    arguments: [
      (#","active":false,"status":"deactivated""#, "deactivated"),
      (#","active":false,"status":"takendown""#, "takendown"),
      (#","active":false,"status":"resting""#, "resting"),
      (#","active":false"#, "inactive"),
    ])
  func inactive(more: String, word: String) async throws {
    answer(Self.session(World.alice, more))
    let service = try await service(World.grant())
    await service.upkeepEnded()
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    #expect(await service.state()?.accounts.map(\.standing) == [.inactive(word)])
    #expect(
      try await world.reopenedStore().load().accounts.map(\.standing) == [.inactive(word)])
  }

  @Test("its writes are refused with that reason, reads go on, and nothing is sent")
  func writesRefused() async throws {
    answer(Self.session(World.alice, #","active":false,"status":"deactivated""#))
    world.http.answer(
      "pds.alice.test/xrpc/com.atproto.repo.getRecord", .json(#"{"value":{}}"#))
    let service = try await service(World.grant())
    await service.upkeepEnded()
    let client = try await service.client(World.alice)
    await #expect(throws: CallFault.accountInactive("deactivated")) {
      try await client.applyWrites([])
    }
    await #expect(throws: CallFault.accountInactive("deactivated")) {
      try await client.uploadBlob("/nowhere", "image/jpeg") { _ in }
    }
    #expect(try await client.getRecord(CollectionNames.gallery, .literalSelf) != nil)
    #expect(world.http.requests(to: Self.applyWrites).isEmpty)
  }

  @Test("an account that was reactivated writes again at once")
  func reactivated() async throws {
    answer(
      Self.session(World.alice, #","active":false,"status":"deactivated""#),
      Self.session(World.alice, #","active":true"#))
    world.http.answer(Self.applyWrites, .json("{}"))
    let service = try await service(World.grant())
    await service.upkeepEnded()
    try await service.client(World.alice).applyWrites([])
    #expect(await service.state()?.accounts.map(\.standing) == [.ok])
  }

  @Test("a write that the server refuses for the account's state is noted (wire §13)")
  func foundOut() async throws {
    answer(Self.session())
    world.http.answer(
      Self.applyWrites,
      .json(
        #"{"error":"AccountTakedown","message":"Account has been taken down"}"#, status: 401))
    let service = try await service(World.grant())
    await service.upkeepEnded()
    await #expect(throws: CallFault.accountInactive("AccountTakedown")) {
      try await service.client(World.alice).applyWrites([])
    }
    #expect(await service.state()?.accounts.map(\.standing) == [.inactive("takendown")])
    #expect(try await world.store.grant(World.alice) != nil)
  }

  // MARK: Its handle

  @Test("a changed handle is followed once both directions confirm it (G12)")
  func handle() async throws {
    answer(Self.session(handle: "alice.example.com"))
    let service = try await service(World.grant(), resolving: "alice.example.com")
    await service.upkeepEnded()
    #expect(await service.state()?.accounts.first?.handle == "alice.example.com")
    let stored = try await world.reopenedStore().load().accounts.first
    #expect(stored?.handle == "alice.example.com")
  }

  @Test("a handle that only the server names is not believed")
  func unconfirmedHandle() async throws {
    answer(Self.session(handle: "mallory.example.com"))
    let service = try await service(World.grant())
    await service.upkeepEnded()
    #expect(await service.state()?.accounts.first?.handle == "alice.test")
  }

  @Test(
    "a known handle goes when it is refuted, and only then: a fault of the network keeps it (FB-A29)",
    arguments: [(HandleConfirmation.refuted, nil), (.unknown, "alice.test")])
  func refutedHandle(confirmation: HandleConfirmation, left: String?) async throws {
    answer(Self.session(handle: "alice.example.com"))
    let service = try await service(World.grant(), finding: confirmation)
    await service.upkeepEnded()
    #expect(await service.state()?.accounts.map(\.handle) == [left])
    #expect(try await world.reopenedStore().load().accounts.map(\.handle) == [left])
  }

  @Test("a sign-in that could not confirm the handle yet keeps the known one, and looks again")
  func unnamedSignIn() async throws {
    world.http.answer("as.alice.test/revoke", .json("{}"))
    answer(Self.session())
    let service = try await service(World.grant(), resolving: "alice.example.com")
    await service.upkeepEnded()
    try await service.adopt(World.grant(tokens: "1").named(nil))
    await service.upkeepEnded()
    #expect(await service.state()?.accounts.map(\.handle) == ["alice.example.com"])

    let doubtful = try await self.service(World.grant(), finding: .unknown)
    await doubtful.upkeepEnded()
    try await doubtful.adopt(World.grant(tokens: "2").named(nil))
    await doubtful.upkeepEnded()
    #expect(await doubtful.state()?.accounts.map(\.handle) == ["alice.test"])
  }

  @Test("a core that stops leaves nothing running")
  func stopping() async throws {
    answer(.failure(.offline))
    let service = try await service(World.grant())
    await service.stop()
    try await service.activate(World.alice.account)
    let count = world.http.requests.count
    await service.upkeepEnded()
    #expect(world.http.requests.count == count)
  }
}

extension Grant {
  /// The same of an account with another handle, or none that was confirmed.
  fileprivate func named(_ handle: Handle?) -> Grant { with(pds: pds, handle: handle) }
}

/// What a proof says.
private func claims(_ proof: String) throws -> JSONValue {
  try JSONParser.parse(CompactJWS(parsing: proof).payload)
}
