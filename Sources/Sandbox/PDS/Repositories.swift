import ATSyntax
import Foundation
import GrainLexicon
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON
import SystemClients

/// The repositories of one server: reads, and commits that happen entirely or not at all.
struct Repositories: Sendable {
  let store: SandboxStore
  let clock: SystemClock
  let revisions: TIDGenerator

  /// A key for a record whose writer gave none.
  func newKey() -> RecordKey { RecordKey(revisions.next(at: clock.now())) }

  func record(_ address: RecordAddress) async throws -> StoredRecord? {
    try await store.read { try Repository(address.did, $0).record(address) }
  }

  /// Records of one collection, newest key first unless reversed; `cursor` is the key the page
  /// before ended with.
  func records(
    of did: DID, in collection: NSID, limit: Int, cursor: String?, reverse: Bool
  ) async throws -> [StoredRecord] {
    let (comparison, order) = reverse ? (">", "ASC") : ("<", "DESC")
    var bindings: [SQLiteValue] = [.text(did.rawValue), .text(collection.rawValue)]
    if let cursor { bindings.append(.text(cursor)) }
    let sql = """
      SELECT collection, rkey, cid, value FROM pds_record WHERE did = ? AND collection = ?
      \(cursor == nil ? "" : "AND rkey \(comparison) ?") ORDER BY rkey \(order) LIMIT \(limit)
      """
    return try await store.read { [bindings] database in
      try database.query(sql, bindings).compactMap { StoredRecord($0, of: did) }
    }
  }

  /// Plans and makes one commit inside one transaction.
  ///
  /// `plan` reads the repository and says what to write; without writes there is no commit. When
  /// it throws, nothing is written.
  func commit(
    to did: DID, signedBy key: P256PrivateKey,
    _ plan: @Sendable (Repository) throws -> [RecordWrite]
  ) async throws -> RepositoryCommit? {
    let revision = revisions.next(at: clock.now())
    return try await store.write { database in
      let repository = Repository(did, database)
      let writes = try plan(repository)
      return writes.isEmpty ? nil : try repository.apply(writes, revision: revision, key: key)
    }
  }

  /// Keeps an uploaded blob until a record references it.
  func keep(_ blob: BlobReference, _ content: [UInt8], of did: DID) async throws {
    try await store.write { database in
      // A blob that is already there, temporary or not, stays as it is (wire §11.6).
      try database.execute(
        "INSERT OR IGNORE INTO pds_blob VALUES (?, ?, ?, ?, 1)",
        [.text(did.rawValue), .text(blob.cid.rawValue), .text(blob.mimeType), .blob(content)])
    }
  }

  /// A referenced blob; `nil` while it is temporary.
  func blob(_ cid: CID, of did: DID) async throws -> (mediaType: String, content: [UInt8])? {
    let rows = try await store.read { database in
      try database.query(
        "SELECT media_type, content FROM pds_blob WHERE did = ? AND cid = ? AND is_temporary = 0",
        [.text(did.rawValue), .text(cid.rawValue)])
    }
    return rows.first.map { ($0.text("media_type") ?? "", $0.blob("content") ?? []) }
  }

  /// The newest commit; `nil` before the first.
  func head(of did: DID) async throws -> RepositoryCommit? {
    try await store.read { try Repository(did, $0).head() }
  }
}

/// Where a record is.
struct RecordAddress: Hashable, Sendable {
  let did: DID
  let collection: NSID
  let key: RecordKey

  var uri: ATURI { ATURI(did, collection, key) }
}

/// A record as it is stored.
struct StoredRecord: Equatable, Sendable {
  let address: RecordAddress
  let cid: CID
  let value: JSONObject

  init?(_ row: SQLiteRow, of did: DID) {
    // Rows were written from checked values.
    guard let collection = try? NSID(row.text("collection") ?? ""),
      let key = try? RecordKey(row.text("rkey") ?? ""), let cid = try? CID(row.text("cid") ?? ""),
      let value = try? JSONParser.parse(Array((row.text("value") ?? "").utf8), limits: .document),
      case .object(let object) = value
    else { return nil }
    address = RecordAddress(did: did, collection: collection, key: key)
    self.cid = cid
    self.value = object
  }

  /// As `getRecord` and `listRecords` give it.
  var json: JSONValue {
    [
      "uri": .string(address.uri.rawValue), "cid": .string(cid.rawValue), "value": .object(value),
    ]
  }
}

/// One commit of a repository.
struct RepositoryCommit: Equatable, Sendable {
  let cid: CID
  let revision: TID

  var json: JSONValue { ["cid": .string(cid.rawValue), "rev": .string(revision.rawValue)] }
}
