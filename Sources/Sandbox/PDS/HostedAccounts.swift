package import ATSyntax
import Foundation
import HTTPTransport
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON
import SystemClients

/// The accounts of one hosting server, with their keys and passwords.
///
/// An entryway signs in the accounts of the server behind it; both hold the same value then.
package struct HostedAccounts: AccountDirectory {
  /// The hosting server's name in the sandbox.
  let server: String
  /// Its origin.
  let pds: URL
  /// Such as `.test`: a new handle is one label before it.
  package let handleDomains: [String]
  let plcDirectory: URL
  let store: SandboxStore
  let http: HTTPClient
  let clock: SystemClock
  let random: SystemRandom

  /// By handle in any case, DID or e-mail address.
  package func account(_ name: String) async -> SandboxAccount? {
    // A store that cannot be read has no accounts to offer; the caller answers "not found".
    let rows = try? await store.read { [server] database in
      try database.query(
        "SELECT did, handle, email, status FROM pds_account WHERE server = ? AND ? IN (did, handle, email)",
        [.text(server), .text(name.hasPrefix("did:") ? name : name.lowercased())])
    }
    return rows?.first.flatMap(account(of:))
  }

  /// Compared in constant time.
  package func checkPassword(_ password: String, for did: DID) async -> Bool {
    // As above: an unreadable store lets nobody in.
    let rows = try? await store.read { [server] database in
      try database.query(
        "SELECT salt, password FROM pds_account WHERE server = ? AND did = ?",
        [.text(server), .text(did.rawValue)])
    }
    guard let row = rows?.first, let salt = row.blob("salt"), let digest = row.blob("password")
    else { return false }
    return ConstantTime.equal(HMAC.sha256(key: salt, message: Array(password.utf8)), digest)
  }

  /// The identity is published first: an account without one could never sign in.
  package func createAccount(
    handle text: String, email: String, password: String
  ) async throws(AccountCreationError) -> SandboxAccount {
    let handle: Handle
    do {
      handle = try Handle(text)
    } catch {
      throw .invalidHandle(text)
    }
    guard handleDomains.contains(where: { HostedAccounts.isDirectly(handle, under: $0) }) else {
      throw .unsupportedDomain(text)
    }
    guard await account(handle.rawValue) == nil else { throw .handleNotAvailable(handle.rawValue) }

    let keys = try newKeys()
    let did = try await publish(handle, keys)
    let salt = random.bytes(16)
    let account = SandboxAccount(
      did: did, handle: handle, email: email.lowercased(), status: .active, pds: pds)
    let columns: [SQLiteValue] = [
      .text(did.rawValue), .text(server), .text(handle.rawValue), .text(account.email), .blob(salt),
      .blob(HMAC.sha256(key: salt, message: Array(password.utf8))), .text(account.status.rawValue),
      .blob(keys.signing.rawRepresentation.reveal()),
      .blob(keys.rotation.rawRepresentation.reveal()),
    ]
    do {
      try await store.write { database in
        try database.execute(
          "INSERT INTO pds_account VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", columns)
      }
    } catch {
      // Somebody took the handle or the address while the directory was being asked.
      throw .handleNotAvailable(handle.rawValue)
    }
    return account
  }

  /// Every account, by handle.
  func all() async throws -> [SandboxAccount] {
    let rows = try await store.read { [server] database in
      try database.query(
        "SELECT did, handle, email, status FROM pds_account WHERE server = ? ORDER BY handle",
        [.text(server)])
    }
    return rows.compactMap(account(of:))
  }

  /// The key that signs for an account; `nil` when it is not hosted here.
  func signingKey(of did: DID) async throws -> P256PrivateKey? {
    let rows = try await store.read { [server] database in
      try database.query(
        "SELECT signing_key FROM pds_account WHERE server = ? AND did = ?",
        [.text(server), .text(did.rawValue)])
    }
    return try rows.first?.blob("signing_key").map {
      try P256PrivateKey(rawRepresentation: Secret($0))
    }
  }

  /// Takes an account down, deactivates or revives it.
  func setStatus(_ status: AccountStatus, of did: DID) async throws {
    try await store.write { [server] database in
      try database.execute(
        "UPDATE pds_account SET status = ? WHERE server = ? AND did = ?",
        [.text(status.rawValue), .text(server), .text(did.rawValue)])
    }
  }

  private func account(of row: SQLiteRow) -> SandboxAccount? {
    // Rows were written from checked values; one that no longer parses is no account.
    guard let did = try? DID(row.text("did") ?? ""),
      let handle = try? Handle(row.text("handle") ?? ""),
      let status = AccountStatus(rawValue: row.text("status") ?? "")
    else { return nil }
    return SandboxAccount(
      did: did, handle: handle, email: row.text("email") ?? "", status: status, pds: pds)
  }

  /// `alice.test` is directly under `.test`, `alice.shop.test` is not.
  private static func isDirectly(_ handle: Handle, under domain: String) -> Bool {
    handle.rawValue.hasSuffix(domain) && !handle.rawValue.dropLast(domain.count).contains(".")
  }

  private struct Keys {
    let signing: P256PrivateKey
    let rotation: P256PrivateKey
  }

  /// From the network's own randomness, so that a seed gives the same DIDs every time.
  private func newKeys() throws(AccountCreationError) -> Keys {
    func key() -> P256PrivateKey? {
      for _ in 0..<4 {
        // A scalar of the order or above is refused; about one in 2³² is.
        if let key = try? P256PrivateKey(rawRepresentation: Secret(random.bytes(32))) { return key }
      }
      return nil
    }
    guard let signing = key(), let rotation = key() else { throw .directoryUnavailable }
    return Keys(signing: signing, rotation: rotation)
  }

  /// Registers the identity at the PLC directory.
  private func publish(_ handle: Handle, _ keys: Keys) async throws(AccountCreationError) -> DID {
    let identity = PLCIdentity(
      handle: handle, endpoint: pds.absoluteString, signingKey: keys.signing.publicKey,
      rotationKeys: [keys.rotation.publicKey])
    do {
      let operation = try PLCOperation(identity: identity, previous: nil, key: keys.rotation)
      guard let did = operation.did, let url = URL(string: "\(plcDirectory.absoluteString)/\(did)")
      else { throw AccountCreationError.directoryUnavailable }
      let response = try await http.send(
        HTTPRequest(
          method: "POST", url: url, headers: ["Content-Type": "application/json"],
          body: .bytes(JSONValue.object(operation.json).serialized())))
      guard response.status == 200 else { throw AccountCreationError.directoryUnavailable }
      return did
    } catch {
      throw .directoryUnavailable
    }
  }
}
