import ATSyntax
import SQLiteDatabase
import StrictJSON

/// What the AppView has been told: records and handles.
struct AppViewIndex: Sendable {
  let store: SandboxStore

  /// Adds a record, or the newer version of it.
  func put(_ record: IndexedRecord) async throws {
    try await store.write { database in
      try database.execute(
        """
        INSERT INTO appview_record VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (uri) DO UPDATE SET cid = excluded.cid, value = excluded.value,
          created = excluded.created
        """,
        [
          .text(record.uri.rawValue), .text(record.did.rawValue),
          .text(record.uri.collection?.rawValue ?? ""), .text(record.cid),
          .text(JSONValue.object(record.value).text()), .text(record.createdAt),
          .text(record.indexedAt),
        ])
    }
  }

  /// Forgets a record.
  func remove(_ uri: ATURI) async throws {
    try await store.write { database in
      try database.execute("DELETE FROM appview_record WHERE uri = ?", [.text(uri.rawValue)])
    }
  }

  /// Forgets an account with all its records.
  func forget(_ did: DID) async throws {
    try await store.write { database in
      try database.execute("DELETE FROM appview_record WHERE did = ?", [.text(did.rawValue)])
      try database.execute("DELETE FROM appview_actor WHERE did = ?", [.text(did.rawValue)])
    }
  }

  func record(_ uri: ATURI) async throws -> IndexedRecord? {
    try await records("uri = ?", [.text(uri.rawValue)]).first
  }

  /// Records of a collection, newest first; of one author only, or with one value of a top-level
  /// text member, such as `subject`.
  func records(
    in collection: NSID, by author: DID? = nil, where member: (name: String, value: String)? = nil
  ) async throws -> [IndexedRecord] {
    var (condition, bindings) = ("collection = ?", [SQLiteValue.text(collection.rawValue)])
    if let author {
      condition += " AND did = ?"
      bindings.append(.text(author.rawValue))
    }
    if let member {
      condition += " AND json_extract(value, '$.' || ?) = ?"
      bindings += [.text(member.name), .text(member.value)]
    }
    return try await records(condition, bindings)
  }

  /// The verified handle of an account, as far as it is known.
  func handle(of did: DID) async throws -> Handle? {
    let rows = try await store.read { database in
      try database.query("SELECT handle FROM appview_actor WHERE did = ?", [.text(did.rawValue)])
    }
    // Written from a checked handle, or empty.
    return rows.first.flatMap { try? Handle($0.text("handle") ?? "") }
  }

  /// Notes an account and its handle; `nil` when none could be verified.
  func note(_ did: DID, handle: Handle?) async throws {
    try await store.write { database in
      try database.execute(
        "INSERT OR REPLACE INTO appview_actor VALUES (?, ?)",
        [.text(did.rawValue), handle.map { .text($0.rawValue) } ?? .null])
    }
  }

  /// Every account seen so far, by handle.
  func actors() async throws -> [DID] {
    let rows = try await store.read { database in
      try database.query("SELECT did FROM appview_actor ORDER BY handle")
    }
    // Written from checked DIDs.
    return rows.compactMap { try? DID($0.text("did") ?? "") }
  }

  private func records(
    _ condition: String, _ bindings: [SQLiteValue]
  ) async throws -> [IndexedRecord] {
    let rows = try await store.read { database in
      try database.query(
        """
        SELECT uri, cid, value, indexed FROM appview_record
        WHERE \(condition) ORDER BY created DESC, uri DESC
        """, bindings)
    }
    return rows.compactMap(IndexedRecord.init)
  }
}

/// One record as the AppView has it.
struct IndexedRecord: Equatable, Sendable {
  let uri: ATURI
  let did: DID
  let cid: String
  let value: JSONObject
  let indexedAt: String

  /// As the record says; empty when it does not.
  var createdAt: String { value["createdAt"]?.stringValue ?? "" }

  /// - Returns: `nil` when the address is not that of a record in an account named by its DID.
  init?(uri: ATURI, cid: String, value: JSONObject, indexedAt: String) {
    guard case .did(let did) = uri.authority, uri.recordKey != nil else { return nil }
    self.uri = uri
    self.did = did
    self.cid = cid
    self.value = value
    self.indexedAt = indexedAt
  }

  fileprivate init?(_ row: SQLiteRow) {
    // Written by `put`, from the values of a record.
    guard let uri = try? ATURI(row.text("uri") ?? ""),
      let value = try? JSONParser.parse(Array((row.text("value") ?? "").utf8), limits: .document),
      case .object(let object) = value
    else { return nil }
    self.init(
      uri: uri, cid: row.text("cid") ?? "", value: object, indexedAt: row.text("indexed") ?? "")
  }
}
