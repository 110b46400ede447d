import ATOAuth
import ATSyntax
import ATXRPC
import Foundation
import GrainLexicon
import StrictJSON

extension RepositoryClient {
  /// Speaks to one account's home server, and through it to the AppView.
  static func live(_ caller: AccountCaller) -> RepositoryClient {
    let configuration = caller.configuration
    let did = caller.session.did
    return RepositoryClient(
      uploadBlob: { path, mediaType, sent async throws(CallFault) in
        let answer = try await caller.write(needing: [.blob(mediaType)]) {
          client async throws(XRPCError) in
          try await client.uploadBlob(
            file: path, contentType: mediaType,
            deadline: .milliseconds(configuration.times.uploadMs), progress: sent)
        }
        // A record would name content by this: what the server says must be what was sent (wire §11.6).
        guard let blob = BlobReference(json: answer), blob.isContent(of: path) else {
          throw .remote(.badResponse(host: await caller.host, detail: "blob"))
        }
        return blob
      },
      applyWrites: { writes, since async throws(CallFault) in
        var members: JSONObject = [
          "repo": .string(did.rawValue), "writes": .array(writes.map(\.json)),
        ]
        members["swapCommit"] = since.map { .string($0.rawValue) }
        let body = JSONValue.object(members)
        _ = try await caller.write(needing: writes.map(ScopeNeed.write)) {
          client async throws(XRPCError) in
          try await client.procedure(MethodNames.applyWrites, body)
        }
      },
      createRecord: { write async throws(CallFault) in
        let body: JSONValue = [
          "repo": .string(did.rawValue), "collection": .string(write.collection.rawValue),
          "rkey": .string(write.key.rawValue), "record": .object(write.value),
        ]
        _ = try await caller.write(needing: [.record(write.collection)]) {
          client async throws(XRPCError) in
          try await client.procedure(MethodNames.createRecord, body)
        }
      },
      getRecord: { collection, key async throws(CallFault) in
        do throws(CallFault) {
          let answer = try await caller.perform { client async throws(XRPCError) in
            try await client.query(
              MethodNames.getRepoRecord,
              [
                "repo": .string(did.rawValue), "collection": .string(collection.rawValue),
                "rkey": .string(key.rawValue),
              ])
          }
          guard let record = RepositoryRecord(key: key, answer: answer) else {
            throw .remote(.badResponse(host: await caller.host, detail: "record"))
          }
          return record
        } catch {
          if case .refused(_, "RecordNotFound", _) = error { return nil }
          throw error
        }
      },
      listRecords: { collection, cursor async throws(CallFault) in
        var page: XRPCParameters = [
          "repo": .string(did.rawValue), "collection": .string(collection.rawValue), "limit": 100,
        ]
        page.add("cursor", cursor.map { .string($0) })
        let parameters = page
        let answer = try await caller.perform { client async throws(XRPCError) in
          try await client.query(MethodNames.listRecords, parameters)
        }
        // One record that cannot be read is no reason to see none.
        return RecordPage(
          records: (answer["records"]?.arrayValue ?? []).compactMap(RepositoryRecord.init(json:)),
          cursor: answer["cursor"]?.stringValue)
      },
      latestCommit: { () async throws(CallFault) in
        let answer = try await caller.perform { client async throws(XRPCError) in
          try await client.query(MethodNames.getLatestCommit, ["did": .string(did.rawValue)])
        }
        do throws(SyntaxError) {
          return try CID(answer["cid"]?.stringValue ?? "")
        } catch {
          throw .remote(.badResponse(host: await caller.host, detail: "commit"))
        }
      },
      blobAddress: { blob in
        let server = await caller.session.pds.absoluteString
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        return "\(base)/xrpc/\(MethodNames.getBlob)?did=\(did)&cid=\(blob)"
      },
      deleteGallery: { gallery async throws(CallFault) in
        let needs = configuration.appView.map {
          [ScopeNeed.call(MethodNames.deleteGallery, of: $0)]
        }
        _ = try await caller.perform(needing: needs ?? [], isRepeatable: false) {
          client async throws(XRPCError) in
          try await client.procedure(
            MethodNames.deleteGallery, ["rkey": .string(gallery.rawValue)])
        }
      },
      indexRecords: { uris async throws(CallFault) in
        let body: JSONValue = ["uris": .array(uris.map { .string($0.rawValue) })]
        let needs = configuration.appView.map { [ScopeNeed.call(MethodNames.indexRecords, of: $0)] }
        _ = try await caller.perform(needing: needs ?? []) { client async throws(XRPCError) in
          try await client.procedure(MethodNames.indexRecords, body)
        }
      },
      requireScope: { needs async throws(CallFault) in try await caller.require(needs) })
  }
}

extension RepositoryRecord {
  /// Reads a `getRecord` answer; a server that leaves the version out leaves it to us.
  fileprivate init?(key: RecordKey, answer: JSONValue) {
    guard let value = answer["value"]?.objectValue else { return nil }
    do {
      let version =
        try answer["cid"]?.stringValue.map { try CID($0) }
        ?? CID(dagCBOR: try DAGCBOR.encode(.object(value), malformed: .keepAsMap))
      self.init(key: key, cid: version, value: value)
    } catch {
      return nil
    }
  }
}

extension BlobReference {
  /// Whether this names the bytes of a file.
  fileprivate func isContent(of path: String) -> Bool {
    guard let bytes = FileManager.default.contents(atPath: path) else { return false }
    return cid == CID(rawSHA256: bytes) && size == bytes.count
  }
}
