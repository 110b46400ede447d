import ATSyntax
import GrainLexicon
import HTTPServing
import OpenSSLCrypto
import StrictJSON

/// The procedures that change a repository, in the order of wire §11: body schema, account, the
/// token's owner, batch size, permission, records, swap, commit.
extension PersonalDataServer {
  private static let bodyLimit = 1_000_000
  private static let deleteBodyLimit = 150 * 1024

  func createRecord(
    _ grant: AccessGrant, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let input = try XRPCInput(request, limit: Self.bodyLimit)
    let (repo, collection) = try target(input)
    let key = try input.optional("rkey", as: RecordKey.self)
    let validate = try input.flag("validate")
    let record = try input.object("record")
    let swapCommit = try input.optional("swapCommit", as: CID.self)
    try PreparedRecord.checkDataModel(record, at: "$.record")

    let owner = try await owner(of: repo, grant)
    try grant.requireRepo(collection, .create)
    let prepared = try PreparedRecord(record, in: collection, validate: validate)
    let address = RecordAddress(
      did: owner.did, collection: collection, key: key ?? repositories.newKey())
    let commit = try await repositories.commit(to: owner.did, signedBy: owner.key) { repository in
      try repository.requireHead(swapCommit)
      let replaced = validate == false ? [] : try repository.backlinks(of: prepared, at: address)
      return replaced.map { RecordWrite(action: .delete, address: $0, record: nil) }
        + [RecordWrite(action: .create, address: address, record: prepared)]
    }
    return Self.written(address, prepared, commit)
  }

  func putRecord(
    _ grant: AccessGrant, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let input = try XRPCInput(request, limit: Self.bodyLimit)
    let (repo, collection) = try target(input)
    let key = try input.required("rkey", as: RecordKey.self)
    let validate = try input.flag("validate")
    let record = try input.object("record")
    let swapRecord = try swapRecord(input)
    let swapCommit = try input.optional("swapCommit", as: CID.self)
    try PreparedRecord.checkDataModel(record, at: "$.record")

    let owner = try await owner(of: repo, grant)
    try grant.requireRepo(collection, .create)
    try grant.requireRepo(collection, .update)
    let prepared = try PreparedRecord(record, in: collection, validate: validate)
    let address = RecordAddress(did: owner.did, collection: collection, key: key)
    let commit = try await repositories.commit(to: owner.did, signedBy: owner.key) { repository in
      let stored = try repository.record(address)
      // The same record again is no change, and no condition is looked at (wire §11.2).
      if stored?.cid == prepared.cid { return [] }
      try repository.requireHead(swapCommit)
      try Self.require(swapRecord, of: stored)
      return [
        RecordWrite(action: stored == nil ? .create : .update, address: address, record: prepared)
      ]
    }
    return Self.written(address, prepared, commit)
  }

  func deleteRecord(
    _ grant: AccessGrant, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let input = try XRPCInput(request, limit: Self.deleteBodyLimit)
    let (repo, collection) = try target(input)
    let key = try input.required("rkey", as: RecordKey.self)
    let swapRecord = try swapRecord(input)
    let swapCommit = try input.optional("swapCommit", as: CID.self)

    let owner = try await owner(of: repo, grant)
    try grant.requireRepo(collection, .delete)
    let address = RecordAddress(did: owner.did, collection: collection, key: key)
    let commit = try await repositories.commit(to: owner.did, signedBy: owner.key) { repository in
      // Nothing to delete is success, whatever the conditions say (wire §11.3).
      guard let stored = try repository.record(address) else { return [] }
      try repository.requireHead(swapCommit)
      try Self.require(swapRecord, of: stored)
      return [RecordWrite(action: .delete, address: address, record: nil)]
    }
    return .xrpc(commit.map { ["commit": $0.json] } ?? [:])
  }

  func applyWrites(
    _ grant: AccessGrant, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let input = try XRPCInput(request, limit: Self.bodyLimit)
    let repo = try input.required("repo", as: ATIdentifier.self)
    let validate = try input.flag("validate")
    let swapCommit = try input.optional("swapCommit", as: CID.self)
    let operations = try input.array("writes").enumerated().map { index, json in
      try BatchOperation(json, at: "$.writes[\(index)]")
    }

    let owner = try await owner(of: repo, grant)
    guard operations.count <= 200 else { throw XRPCRefusal.invalid("Too many writes. Max: 200") }
    for operation in operations { try grant.requireRepo(operation.collection, operation.action) }
    let writes = try operations.map { operation in
      RecordWrite(
        action: operation.action,
        address: RecordAddress(
          did: owner.did, collection: operation.collection,
          key: operation.key ?? repositories.newKey()),
        record: try operation.value.map {
          try PreparedRecord($0, in: operation.collection, validate: validate)
        })
    }
    let commit = try await repositories.commit(to: owner.did, signedBy: owner.key) { repository in
      try repository.requireHead(swapCommit)
      return writes
    }
    return .xrpc(
      .object(
        JSONObject(
          (commit.map { [("commit", $0.json)] } ?? [])
            + [("results", .array(writes.map(BatchOperation.result(of:))))])))
  }

  // MARK: Shared steps.

  /// Who a write is for, and the key that signs it.
  struct Owner: Sendable {
    let did: DID
    let key: P256PrivateKey
  }

  /// The account lookup and the token check of every write (wire §11, §13).
  func owner(of repo: ATIdentifier, _ grant: AccessGrant) async throws -> Owner {
    guard let account = await accounts.account(repo.rawValue) else {
      throw XRPCRefusal(403, "AccountNotFound", "Account not found")
    }
    try Self.requireActive(account)
    guard account.did == grant.did else {
      throw XRPCRefusal(401, "AuthenticationRequired", "Authentication Required")
    }
    guard let key = try await accounts.signingKey(of: account.did) else {
      throw XRPCRefusal.internalError
    }
    return Owner(did: account.did, key: key)
  }

  /// - Throws: the 401 without a challenge that names the account's state.
  static func requireActive(_ account: SandboxAccount) throws(XRPCRefusal) {
    switch account.status {
    case .active: return
    case .deactivated: throw XRPCRefusal(401, "AccountDeactivated", "Account is deactivated")
    case .takendown, .suspended:
      throw XRPCRefusal(401, "AccountTakedown", "Account has been taken down")
    }
  }

  private func target(_ input: XRPCInput) throws(XRPCRefusal) -> (ATIdentifier, NSID) {
    (
      try input.required("repo", as: ATIdentifier.self),
      try input.required("collection", as: NSID.self)
    )
  }

  /// What a record must have been; `nil` when the request sets no condition.
  private enum RecordCondition: Sendable {
    case missing
    case cid(CID)
  }

  private func swapRecord(_ input: XRPCInput) throws(XRPCRefusal) -> RecordCondition? {
    if input.object["swapRecord"]?.isNull == true { return .missing }
    return try input.optional("swapRecord", as: CID.self).map { .cid($0) }
  }

  private static func require(_ condition: RecordCondition?, of stored: StoredRecord?) throws {
    let isMet =
      switch condition {
      case nil: true
      case .missing: stored == nil
      case .cid(let cid): stored?.cid == cid
      }
    guard isMet else {
      throw XRPCRefusal(400, "InvalidSwap", "Record was at \(stored?.cid.rawValue ?? "null")")
    }
  }

  private static func written(
    _ address: RecordAddress, _ record: PreparedRecord, _ commit: RepositoryCommit?
  ) -> HTTPServerResponse {
    var body: JSONObject = [
      "uri": .string(address.uri.rawValue), "cid": .string(record.cid.rawValue),
    ]
    body["commit"] = commit?.json
    body["validationStatus"] = record.validationStatus.map(JSONValue.string)
    return .xrpc(.object(body))
  }
}

/// One entry of `writes` (wire §11.4).
private struct BatchOperation {
  let action: RepoAction
  let collection: NSID
  let key: RecordKey?
  let value: JSONObject?

  private static let type = "com.atproto.repo.applyWrites"

  init(_ json: JSONValue, at path: String) throws(XRPCRefusal) {
    guard case .object(let object) = json else {
      throw .invalid("Expected object value type (got \(json.typeName)) at \(path)")
    }
    let input = XRPCInput(object, at: path)
    let name = try input.string("$type")
    guard let action = RepoAction.allCases.first(where: { name == "\(Self.type)#\($0.rawValue)" })
    else {
      let expected = RepoAction.allCases.map { "\(Self.type)#\($0.rawValue)" }
      throw .invalid(
        "Expected one of \(expected.joined(separator: ", ")) value type (got \"\(name)\") at \(path).$type"
      )
    }
    self.action = action
    collection = try input.required("collection", as: NSID.self)
    key =
      action == .create
      ? try input.optional("rkey", as: RecordKey.self)
      : try input.required("rkey", as: RecordKey.self)
    value = action == .delete ? nil : try input.object("value")
    if let value { try PreparedRecord.checkDataModel(value, at: "\(path).value") }
  }

  static func result(of write: RecordWrite) -> JSONValue {
    guard let record = write.record else { return ["$type": .string("\(type)#deleteResult")] }
    var result: JSONObject = [
      "$type": .string("\(type)#\(write.action.rawValue)Result"),
      "uri": .string(write.address.uri.rawValue), "cid": .string(record.cid.rawValue),
    ]
    result["validationStatus"] = record.validationStatus.map(JSONValue.string)
    return .object(result)
  }
}

extension Repository {
  /// Earlier records that say the same of the same subject: follow, block, like, repost (wire §11.1).
  fileprivate func backlinks(
    of record: PreparedRecord, at address: RecordAddress
  ) throws -> [RecordAddress] {
    func subject(_ value: JSONObject) -> JSONValue? {
      switch address.collection.rawValue {
      case "app.bsky.graph.follow", "app.bsky.graph.block": value["subject"]
      case "app.bsky.feed.like", "app.bsky.feed.repost": value["subject"]?["uri"]
      default: nil
      }
    }
    guard let wanted = subject(record.value) else { return [] }
    return try records(in: address.collection) { subject($0) == wanted }.map(\.address)
      .filter { $0 != address }
  }
}
