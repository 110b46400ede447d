import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON
import SystemClients

/// A data folder of one test, a clock that stands still, and a network where Alice and Bob have
/// servers of their own: `pds.alice.test` and `as.alice.test`, and Bob's likewise.
final class AccountsWorld: Sendable {
  static let alice = did("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
  static let bob = did("did:plc:bbbbbbbbbbbbbbbbbbbbbbbb")
  static let carol = did("did:plc:cccccccccccccccccccccccc")

  let clock = TestClock()
  let http = AddressedHTTP()
  let nonces = NonceStore()
  let folder: TemporaryFolder
  let data: DataFolder
  let store: AccountStore
  let drafts: DraftStore

  /// A folder in which a core was started before, unless told otherwise.
  init(launchedBefore: Bool = true) async throws {
    folder = try TemporaryFolder()
    data = try DataFolder.open(folder.path("data"), processID: 1)
    let sealer = try await Self.sealer(data)
    store = try AccountStore(path: data.databasePath, sealer: sealer)
    drafts = try DraftStore(folder: data, clock: clock.clock, random: .live)
    if launchedBefore { _ = try await store.migrateScope(requiring: []) { _ in nil } }
  }

  private static func sealer(_ data: DataFolder) async throws -> VaultSealer {
    let vault = try await CredentialVault(
      path: data.databasePath, schema: CoreSchema.migrations,
      providers: [KeyFileProvider(path: data.keyFilePath)], random: .live)
    return vault.sealer
  }

  /// The accounts as a core that is started again would find them.
  func reopenedStore() async throws -> AccountStore {
    try AccountStore(path: data.databasePath, sealer: try await Self.sealer(data))
  }

  /// Statements of somebody else on the same database.
  func execute(_ sql: String) throws {
    try SQLiteConnection(path: data.databasePath).execute(sql)
  }

  func count(_ table: String) throws -> Int64? {
    try SQLiteConnection(path: data.databasePath).query("SELECT count(*) AS n FROM \(table)")
      .first?.integer("n")
  }

  /// Puts other bytes into an account's sealed row.
  func seal(_ did: DID, _ text: String) async throws {
    let row = try await Self.sealer(data).seal(
      did.rawValue, kind: "grant", secret: Secret(text: text))
    try row.store(on: SQLiteConnection(path: data.databasePath))
  }

  /// Puts accounts into the store, in this order and in one transaction.
  func fill(_ dids: [DID]) async throws {
    let sealer = try await Self.sealer(data)
    let connection = try SQLiteConnection(path: data.databasePath)
    try connection.transaction {
      for (number, did) in dids.enumerated() {
        let grant = try Self.grant(did, revocable: false)
        let record = AccountRecord(did: did, handle: grant.handle)
        try connection.execute(
          "INSERT INTO account (id, position, body) VALUES (?, ?, ?)",
          [
            .text(did.rawValue), .integer(Int64(number) << 32),
            .text(try JSONValueEncoder().encode(record).text()),
          ])
        try sealer.seal(did.rawValue, kind: "grant", secret: grant.sealable()).store(on: connection)
      }
    }
  }

  /// From now on no sealed row can be written, as on a full disk.
  func breakStore() throws {
    try execute(
      """
      CREATE TRIGGER broken BEFORE UPDATE ON vault_row BEGIN SELECT RAISE(ABORT, 'broken'); END
      """)
    try execute(
      """
      CREATE TRIGGER broken2 BEFORE INSERT ON vault_row BEGIN SELECT RAISE(ABORT, 'broken'); END
      """)
  }

  func mendStore() throws {
    try execute("DROP TRIGGER broken")
    try execute("DROP TRIGGER broken2")
  }

  // MARK: Services

  var environment: DPoPEnvironment {
    DPoPEnvironment(nonces: nonces, clock: clock.clock, random: .live)
  }

  func service(
    _ configuration: CoreConfiguration = CoreConfiguration(), upkeep: AccountUpkeep? = nil,
    hooks: AccountHooks = AccountHooks()
  ) -> AccountService {
    AccountService(
      store: store, drafts: drafts, http: http.client, environment: environment,
      configuration: configuration, log: .silent, upkeep: upkeep,
      hooks: hooks)
  }

  /// A service that has read its store, with these accounts in it; the last one is active.
  func restored(
    _ grants: Grant..., hooks: AccountHooks = AccountHooks()
  ) async throws -> AccountService {
    for grant in grants { _ = try await store.adopt(grant, missingScopes: []) }
    let service = service(hooks: hooks)
    await service.restore()
    return service
  }

  func session(
    _ grant: Grant, onEvent: @escaping @Sendable (TokenSession.Event) async -> Void = { _ in }
  ) -> TokenSession {
    TokenSession(
      grant: grant, grants: GrantClient(http: http.client, environment: environment), store: store,
      environment: environment, lead: TokenSession.RefreshLead(atLeast: .seconds(60)),
      onEvent: onEvent)
  }

  /// A grant of Alice's, Bob's or Carol's; `tokens` tells grants of one account apart.
  static func grant(
    _ did: DID = alice, tokens: String = "0", handle: String? = nil,
    endsAt: Date = Date(timeIntervalSince1970: 1_772_370_000), scope: String? = nil,
    revocable: Bool = true
  ) throws -> Grant {
    let name = name(did)
    return Grant(
      did: did, handle: try Handle(handle ?? "\(name).test"),
      pds: try url("https://pds.\(name).test"), issuer: try Issuer("https://as.\(name).test"),
      tokenEndpoint: try url("https://as.\(name).test/token"),
      revocationEndpoint: revocable ? try url("https://as.\(name).test/revoke") : nil,
      clientID: CoreConfiguration().clientID,
      tokens: TokenSet(
        accessToken: Secret(text: "access-\(tokens)"),
        refreshToken: Secret(text: "refresh-\(tokens)"), expiresAt: endsAt,
        scope: scope ?? CoreConfiguration().appView?.scope ?? ""),
      dpopKey: .generate())
  }

  /// A grant whose access token ends in so many seconds of this world's time.
  func grant(
    _ did: DID = alice, tokens: String = "0", endsIn seconds: TimeInterval
  ) throws -> Grant {
    try Self.grant(did, tokens: tokens, endsAt: clock.now.addingTimeInterval(seconds))
  }

  private static func name(_ did: DID) -> String {
    [alice: "alice", bob: "bob", carol: "carol"][did] ?? "nobody"
  }

  static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }
}

extension ScriptedHTTP.Answer {
  /// What a token endpoint hands out.
  static func tokens(
    _ name: String, expiresIn seconds: Int = 3600, scope: String? = nil
  ) -> ScriptedHTTP.Answer {
    let scope = scope ?? CoreConfiguration().appView?.scope ?? ""
    return .json(
      """
      {"access_token":"access-\(name)","refresh_token":"refresh-\(name)","token_type":"DPoP",
      "expires_in":\(seconds),"scope":"\(scope)"}
      """)
  }

  /// A refusal by an authorization server.
  static func refusal(_ error: String, status: Int = 400) -> ScriptedHTTP.Answer {
    .json(#"{"error":"\#(error)"}"#, status: status)
  }
}

extension AccountService {
  /// What it shows now.
  func state() async -> AccountsState? {
    for await state in states() { return state }
    return nil
  }
}

/// The fields of a request's form.
func form(_ request: HTTPRequest?) -> [String: String] {
  guard case .bytes(let body) = request?.body, let pairs = FormURLEncoding.decode(body) else {
    return [:]
  }
  return Dictionary(pairs) { _, last in last }
}
