import ATOAuth
import ATSyntax
import ATXRPC
import Foundation
import GrainLexicon
package import HTTPTransport
import StrictJSON

extension RepositoryClient {
  /// Speaks to one account's home server, and through it to the AppView.
  ///
  /// - Parameters:
  ///   - session: the owner of the account's tokens.
  ///   - http: the network.
  ///   - configuration: the AppView and the waiting times.
  /// - Returns: the client, bound to the session's account.
  package static func live(
    _ session: TokenSession, http: HTTPClient, configuration: CoreConfiguration
  ) -> RepositoryClient {
    let caller = AccountCaller(session: session, http: http, configuration: configuration)
    let did = session.did
    return RepositoryClient(
      uploadBlob: { path, mediaType, sent async throws(CallFault) in
        let answer = try await caller.perform(needing: [.blob(mediaType)]) {
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
        _ = try await caller.perform(needing: writes.map { .record($0.collection) }) {
          client async throws(XRPCError) in
          try await client.procedure(MethodNames.applyWrites, body)
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

/// Makes calls for one account, at whatever home server it has by then.
private struct AccountCaller: Sendable {
  let session: TokenSession
  let http: HTTPClient
  let configuration: CoreConfiguration

  var host: String {
    get async { await session.pds.host() ?? "" }
  }

  /// What a server would refuse is not sent (G109).
  func require(_ needs: [ScopeNeed]) async throws(CallFault) {
    if needs.isEmpty { return }
    if let missing = ScopeSet(await session.scope).firstMissing(of: needs) {
      throw .scopeMissing(missing.item)
    }
  }

  func perform(
    needing needs: [ScopeNeed] = [],
    _ call: @Sendable (XRPCClient) async throws(XRPCError) -> JSONValue
  ) async throws(CallFault) -> JSONValue {
    try await require(needs)
    let client = XRPCClient(
      base: await session.pds, http: http, authorization: session.authorization,
      proxy: configuration.appView?.proxyHeader,
      deadline: .milliseconds(configuration.times.requestMs))
    do throws(XRPCError) {
      return try await call(client)
    } catch {
      if case .storeFailed = error, let fault = await session.storeFault { throw .store(fault) }
      throw CallFault(error, did: session.did, host: await host)
    }
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
