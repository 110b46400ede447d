import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainCore
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON
import SystemClients

/// A data folder of one test, and cores that work in it.
final class CoreFolder: Sendable {
  static let firstPassword = "correct horse battery staple"

  let temporary: TemporaryFolder
  let clock = TestClock()

  init() throws {
    temporary = try TemporaryFolder()
  }

  var path: String { temporary.path("data") }

  /// Where the key command of ``commandKeys`` finds the key.
  var keySource: String { temporary.path("password") }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Keys from a command that reads ``keySource``.
  func commandKeys() throws -> KeyPlaces {
    try KeyPlaces(
      command: "cat '\(keySource)'", usesDesktop: false, environment: ["PATH": "/usr/bin:/bin"])
  }

  /// Opens a core that meets no network.
  func open(_ keys: KeyPlaces = .file, log: Log = .silent) async throws(StoreFault) -> Core {
    try await Core.open(
      dataFolder: path, configuration: { () throws(StoreFault) in CoreConfiguration() },
      doors: Core.Doors(
        clock: clock.clock, log: log, keys: keys,
        http: HTTPClient { _, _ throws(HTTPError) in throw .offline }))
  }

  /// Puts accounts into the store, without signing in.
  func fill(_ accounts: Int = 1, provider: (any KeyProvider)? = nil) async throws {
    let data = try DataFolder.open(path, processID: 1)
    defer { data.release() }
    let vault = try await CredentialVault(
      path: data.databasePath, schema: CoreSchema.migrations,
      providers: [provider ?? KeyFileProvider(path: data.keyFilePath)], random: .live)
    // One transaction for all: the store of a core synchronises with the disk for each.
    let connection = try SQLiteConnection(path: data.databasePath)
    try connection.transaction {
      for number in 0..<accounts {
        let grant = try Self.grant(number)
        let record = AccountRecord(did: grant.did, handle: grant.handle)
        try connection.execute(
          "INSERT INTO account (id, position, body) VALUES (?, ?, ?)",
          [
            .text(grant.did.rawValue), .integer(Int64(number)),
            .text(try JSONValueEncoder().encode(record).text()),
          ])
        try vault.sealer.seal(grant.did.rawValue, kind: "grant", secret: grant.sealable())
          .store(on: connection)
      }
    }
  }

  /// The account of a number, with tokens that can be searched for.
  static func grant(_ number: Int) throws -> Grant {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let name = [number / 676 % 26, number / 26 % 26, number % 26].map { String(letters[$0]) }
      .joined()
    let host = "pds.\(name).test"
    guard let pds = URL(string: "https://\(host)") else { throw URLError(.badURL) }
    return Grant(
      did: try DID("did:plc:" + name + String(repeating: "a", count: 21)),
      handle: try Handle("\(name).test"), pds: pds, issuer: try Issuer("https://\(host)"),
      tokenEndpoint: pds.appending(path: "token"),
      revocationEndpoint: pds.appending(path: "revoke"), clientID: CoreConfiguration().clientID,
      tokens: TokenSet(
        accessToken: Secret(text: "GRAINCANARY-access-\(name)"),
        refreshToken: Secret(text: "GRAINCANARY-refresh-\(name)"), expiresAt: nil,
        scope: CoreConfiguration().appView?.scope ?? ""),
      dpopKey: .generate())
  }

  /// Every file below the folder with its content.
  func contents() throws -> [String: Data] {
    let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
    var contents: [String: Data] = [:]
    for name in names {
      let url = URL(filePath: file(name))
      if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        contents[name] = try Data(contentsOf: url)
      }
    }
    return contents
  }
}

/// The fault an opening met; nil where it met none.
func fault(_ body: () async throws(StoreFault) -> Core) async -> StoreFault? {
  do throws(StoreFault) {
    await (try await body()).close()
    return nil
  } catch {
    return error
  }
}
