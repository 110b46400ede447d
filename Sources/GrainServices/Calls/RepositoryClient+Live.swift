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
        guard let blob = BlobReference(json: answer) else {
          throw .remote(.badResponse(host: await caller.host, detail: "blob"))
        }
        return blob
      },
      applyWrites: { writes async throws(CallFault) in
        let body: JSONValue = [
          "repo": .string(did.rawValue), "writes": .array(writes.map(\.json)),
        ]
        _ = try await caller.write(needing: writes.map { .record($0.collection) }) {
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
          return answer["value"]
        } catch {
          if case .refused(_, "RecordNotFound", _) = error { return nil }
          throw error
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

extension RecordWrite {
  /// One element of `applyWrites` (G44).
  fileprivate var json: JSONValue {
    [
      "$type": "com.atproto.repo.applyWrites#create", "collection": .string(collection.rawValue),
      "rkey": .string(key.rawValue), "value": .object(value),
    ]
  }
}
