import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainLexicon
import GrainServices
import OAuth
import OpenSSLCrypto
import StrictJSON
import SystemClients

/// Data folders with accounts in them, made by the services that make them in earnest.
enum StoredAccounts {
  /// A folder with so many signed-in accounts whose servers are out of reach.
  ///
  /// - Returns: its path; the same one for the same number.
  static func folder(_ count: Int, _ bench: Bench) async throws -> String {
    let path = bench.path("accounts-\(count)")
    if FileManager.default.fileExists(atPath: path) { return path }
    let data = try DataFolder.open(
      path, processID: ProcessInfo.processInfo.processIdentifier)
    defer { data.release() }
    let store = try await Self.store(data)
    for number in 0..<count {
      _ = try await store.adopt(try grant(number), missingScopes: [])
    }
    return path
  }

  /// The account store of a folder, made ready.
  static func store(_ data: DataFolder) async throws -> AccountStore {
    let vault = try await CredentialVault(
      path: data.databasePath, schema: CoreSchema.migrations,
      providers: [KeyFileProvider(path: data.keyFilePath)], random: .live)
    return try AccountStore(path: data.databasePath, sealer: vault.sealer)
  }

  /// A configuration with which nothing leaves this machine: every name leads to a closed port.
  ///
  /// - Returns: the path of the file.
  static func configuration(_ bench: Bench) throws -> String {
    let nowhere: JSONValue = "http://127.0.0.1:1"
    let names = ["*.test", "grain.social", "plc.directory", "public.api.bsky.app"]
    let configuration: JSONObject = [
      "allowInsecureLoopback": true,
      "hosts": .object(JSONObject(names.map { ($0, nowhere) })),
    ]
    let path = bench.path("offline.json")
    try PrivateFiles.write(configuration.serialized(), to: path)
    return path
  }

  /// The account of a number.
  static func grant(_ number: Int) throws -> Grant {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let name = String([number / 676 % 26, number / 26 % 26, number % 26].map { letters[$0] })
    guard let pds = URL(string: "https://pds.\(name).test") else { throw URLError(.badURL) }
    return Grant(
      did: try DID("did:plc:" + name + String(repeating: "a", count: 21)),
      handle: try Handle("\(name).test"), pds: pds, issuer: try Issuer(pds.absoluteString),
      tokenEndpoint: pds.appending(path: "token"),
      revocationEndpoint: pds.appending(path: "revoke"), clientID: CoreConfiguration().clientID,
      tokens: TokenSet(
        accessToken: Secret(TokenText.made(900)), refreshToken: Secret(TokenText.made(400)),
        expiresAt: nil, scope: CoreConfiguration().appView?.scope ?? ""),
      dpopKey: .generate())
  }
}

/// Text as long as a token is.
private enum TokenText {
  static func made(_ count: Int) -> [UInt8] {
    SystemRandom.live.bytes(count).map { 0x61 + $0 % 26 }
  }
}
