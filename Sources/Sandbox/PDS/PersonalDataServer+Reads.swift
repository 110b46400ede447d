import ATSyntax
import Foundation
import GrainLexicon
import HTTPServing
import HTTPTransport
import StrictJSON

/// The queries about a repository; no token needed.
extension PersonalDataServer {
  func getRecord(
    _ parameters: XRPCParameters, _ request: HTTPServerRequest
  ) async throws -> HTTPServerResponse {
    let repo = try parameters.required("repo", as: ATIdentifier.self)
    let collection = try parameters.required("collection", as: NSID.self)
    let key = try parameters.required("rkey", as: RecordKey.self)
    let version = try parameters.optional("cid", as: CID.self)
    guard let account = await accounts.account(repo.rawValue) else {
      // Somebody else's record: the service named in the header may have it (wire §10.4).
      guard request.headers["atproto-proxy"] != nil else {
        throw XRPCRefusal.invalid("Could not locate record")
      }
      return try await forwardAnonymously(request, to: MethodNames.getRepoRecord)
    }
    let address = RecordAddress(did: account.did, collection: collection, key: key)
    guard account.status == .active, let record = try await repositories.record(address),
      version == nil || version == record.cid
    else {
      throw XRPCRefusal(400, "RecordNotFound", "Could not locate record: \(address.uri)")
    }
    return .xrpc(record.json)
  }

  func listRecords(_ parameters: XRPCParameters) async throws -> HTTPServerResponse {
    let repo = try parameters.required("repo", as: ATIdentifier.self)
    let collection = try parameters.required("collection", as: NSID.self)
    let limit = try parameters.integer("limit", in: 1...100, default: 50)
    let reverse = try parameters.flag("reverse")
    guard let account = await accounts.account(repo.rawValue) else {
      throw XRPCRefusal.invalid("Could not find repo: \(repo)")
    }
    let records = try await repositories.records(
      of: account.did, in: collection, limit: limit, cursor: parameters.text("cursor"),
      reverse: reverse)
    var body: JSONObject = ["records": .array(records.map(\.json))]
    // Also on a full last page: only an empty one has no cursor (wire §10.1).
    body["cursor"] = records.last.map { .string($0.address.key.rawValue) }
    return .xrpc(.object(body))
  }

  /// The newest commit; a writer names it to be sure that nobody else has written since.
  func getLatestCommit(_ parameters: XRPCParameters) async throws -> HTTPServerResponse {
    let did = try parameters.required("did", as: DID.self)
    guard let account = await accounts.account(did.rawValue), account.status == .active,
      let head = try await repositories.head(of: did)
    else { throw XRPCRefusal(400, "RepoNotFound", "Could not find root for DID: \(did)") }
    return .xrpc(["cid": .string(head.cid.rawValue), "rev": .string(head.revision.rawValue)])
  }

  func getRepoStatus(_ parameters: XRPCParameters) async throws -> HTTPServerResponse {
    let did = try parameters.required("did", as: DID.self)
    guard let account = await accounts.account(did.rawValue) else {
      throw XRPCRefusal(400, "RepoNotFound", "Could not find repo for DID: \(did)")
    }
    var body: JSONObject = [
      "did": .string(did.rawValue), "active": .bool(account.status == .active),
    ]
    if account.status != .active { body["status"] = .string(account.status.rawValue) }
    if account.status == .active, let head = try await repositories.head(of: did) {
      body["rev"] = .string(head.revision.rawValue)
    }
    return .xrpc(.object(body))
  }

  /// A blob's bytes, once a record references it.
  func getBlob(_ parameters: XRPCParameters) async throws -> HTTPServerResponse {
    let did = try parameters.required("did", as: DID.self)
    let cid = try parameters.required("cid", as: CID.self)
    guard let account = await accounts.account(did.rawValue) else {
      throw XRPCRefusal(400, "RepoNotFound", "Could not find repo for DID: \(did)")
    }
    switch account.status {
    case .active: break
    case .deactivated:
      throw XRPCRefusal(400, "RepoDeactivated", "Repo has been deactivated: \(did)")
    case .takendown, .suspended:
      throw XRPCRefusal(400, "RepoTakendown", "Repo has been takendown: \(did)")
    }
    guard let blob = try await repositories.blob(cid, of: did) else {
      throw XRPCRefusal(400, "BlobNotFound", "Blob not found")
    }
    return .untrusted(blob.content, mediaType: blob.mediaType, name: cid.rawValue)
  }
}

extension HTTPServerResponse {
  /// A person's upload, served so that no browser runs anything inside it.
  static func untrusted(_ content: [UInt8], mediaType: String, name: String) -> HTTPServerResponse {
    HTTPServerResponse(
      status: 200,
      headers: [
        "Content-Type": mediaType, "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": "attachment; filename=\"\(name)\"",
        "Access-Control-Allow-Origin": "*",
      ], body: content)
  }
}
