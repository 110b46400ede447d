import ATSyntax
import GrainLexicon
import JOSE
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON

/// One account's repository, inside one transaction of the store.
struct Repository {
  let did: DID
  private let database: SQLiteConnection

  init(_ did: DID, _ database: SQLiteConnection) {
    self.did = did
    self.database = database
  }

  func record(_ address: RecordAddress) throws -> StoredRecord? {
    try database.query(
      "SELECT collection, rkey, cid, value FROM pds_record WHERE did = ? AND collection = ? AND rkey = ?",
      address.bindings
    ).first.flatMap { StoredRecord($0, of: did) }
  }

  /// Records of a collection whose value has `subject` at the same place.
  func records(in collection: NSID, where matches: (JSONObject) -> Bool) throws -> [StoredRecord] {
    try database.query(
      "SELECT collection, rkey, cid, value FROM pds_record WHERE did = ? AND collection = ?",
      [.text(did.rawValue), .text(collection.rawValue)]
    ).compactMap { StoredRecord($0, of: did) }.filter { matches($0.value) }
  }

  func head() throws -> RepositoryCommit? {
    let rows = try database.query(
      "SELECT head FROM pds_account WHERE did = ?", [.text(did.rawValue)])
    let parts = (rows.first?.text("head") ?? "").split(separator: " ").map(String.init)
    // Written by `apply`, as two words.
    guard parts.count == 2, let cid = try? CID(parts[0]), let revision = try? TID(parts[1])
    else { return nil }
    return RepositoryCommit(cid: cid, revision: revision)
  }

  /// - Throws: 400 `InvalidSwap` unless the newest commit is `expected`.
  func requireHead(_ expected: CID?) throws {
    guard let expected else { return }
    let head = try head()
    guard head?.cid == expected else {
      throw XRPCRefusal(400, "InvalidSwap", "Commit was at \(head?.cid.rawValue ?? "null")")
    }
  }

  /// Makes the writes and the commit over them.
  ///
  /// The sandbox keeps no Merkle tree: the commit's `data` chains the operations instead, so every
  /// commit has a CID of its own that depends on everything before it.
  ///
  /// - Throws: `XRPCRefusal.internalError` for a create over an existing key and for an update or
  ///   delete of a missing one, as the reference's tree does (wire §11.1, §11.4); a blob's refusal.
  func apply(_ writes: [RecordWrite], revision: TID, key: P256PrivateKey) throws -> RepositoryCommit
  {
    for write in writes {
      let exists = try record(write.address) != nil
      guard exists == (write.action != .create) else { throw XRPCRefusal.internalError }
      try remove(write.address)
      if let record = write.record { try insert(record, at: write.address) }
    }
    for record in writes.compactMap(\.record) { try reference(record.blobs) }
    try database.execute(
      """
      DELETE FROM pds_blob WHERE did = ?1 AND is_temporary = 0 AND NOT EXISTS (
        SELECT 1 FROM pds_blob_reference AS r WHERE r.did = ?1 AND r.cid = pds_blob.cid)
      """, [.text(did.rawValue)])
    let commit = try sign(writes, revision, key)
    try database.execute(
      "UPDATE pds_account SET head = ? WHERE did = ?",
      [.text("\(commit.cid) \(commit.revision)"), .text(did.rawValue)])
    return commit
  }

  private func remove(_ address: RecordAddress) throws {
    for table in ["pds_record", "pds_blob_reference"] {
      try database.execute(
        "DELETE FROM \(table) WHERE did = ? AND collection = ? AND rkey = ?", address.bindings)
    }
  }

  private func insert(_ record: PreparedRecord, at address: RecordAddress) throws {
    try database.execute(
      "INSERT INTO pds_record VALUES (?, ?, ?, ?, ?)",
      address.bindings + [.text(record.cid.rawValue), .text(JSONValue.object(record.value).text())])
    for blob in record.blobs {
      try database.execute(
        "INSERT OR IGNORE INTO pds_blob_reference (did, collection, rkey, cid) VALUES (?, ?, ?, ?)",
        address.bindings + [.text(blob.cid.rawValue)])
    }
  }

  /// Makes referenced blobs permanent; type and size are checked at the first reference only.
  private func reference(_ blobs: [BlobReference]) throws {
    for blob in blobs {
      let rows = try database.query(
        "SELECT media_type, length(content) AS size, is_temporary FROM pds_blob WHERE did = ? AND cid = ?",
        [.text(did.rawValue), .text(blob.cid.rawValue)])
      guard let row = rows.first else {
        throw XRPCRefusal(400, "BlobNotFound", "Could not find blob: \(blob.cid)")
      }
      guard row.integer("is_temporary") == 1 else { continue }
      let (mediaType, size) = (row.text("media_type") ?? "", Int(row.integer("size") ?? 0))
      guard mediaType == blob.mimeType else {
        throw XRPCRefusal(
          400, "InvalidMimeType",
          "Referenced Mimetype does not match stored blob. Expected: \(mediaType), Got: \(blob.mimeType)"
        )
      }
      guard size == blob.size else {
        throw XRPCRefusal(
          400, "InvalidSize",
          "Referenced Size does not match stored blob. Expected: \(size), Got: \(blob.size)")
      }
      try database.execute(
        "UPDATE pds_blob SET is_temporary = 0 WHERE did = ? AND cid = ?",
        [.text(did.rawValue), .text(blob.cid.rawValue)])
    }
  }

  private func sign(
    _ writes: [RecordWrite], _ revision: TID, _ key: P256PrivateKey
  ) throws -> RepositoryCommit {
    let operations = writes.map { write -> JSONValue in
      [
        "action": .string(write.action.rawValue),
        "path": .string("\(write.address.collection)/\(write.address.key)"),
        "cid": write.record.map { .string($0.cid.rawValue) } ?? .null,
      ]
    }
    let previous = try head().map { JSONValue.object(["$link": .string($0.cid.rawValue)]) }
    let data = CID(
      dagCBOR: try DAGCBOR.encode(["prev": previous ?? .null, "ops": .array(operations)]))
    var commit: JSONObject = [
      "did": .string(did.rawValue), "version": 3, "data": ["$link": .string(data.rawValue)],
      "rev": .string(revision.rawValue), "prev": .null,
    ]
    let signature = try key.signature(for: try DAGCBOR.encode(.object(commit)))
    // `$bytes` is plain base64; the alphabet is all that differs from the URL form.
    let base64 = Base64URL.encode(signature).replacing("-", with: "+").replacing("_", with: "/")
    commit["sig"] = ["$bytes": .string(base64)]
    return RepositoryCommit(
      cid: CID(dagCBOR: try DAGCBOR.encode(.object(commit))), revision: revision)
  }
}

extension RecordAddress {
  var bindings: [SQLiteValue] {
    [.text(did.rawValue), .text(collection.rawValue), .text(key.rawValue)]
  }
}

/// One change to a repository.
struct RecordWrite: Sendable {
  let action: RepoAction
  let address: RecordAddress
  /// `nil` for a delete.
  let record: PreparedRecord?
}
