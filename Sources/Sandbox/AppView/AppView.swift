import ATSyntax
package import Foundation
package import GrainLexicon
package import HTTPServing
package import HTTPTransport
package import StrictJSON
package import SystemClients

/// Grain's own server: an index over everybody's records, and the app's client document.
///
/// It knows what it was told to index and nothing else, so a write is invisible until
/// `social.grain.sync.indexRecords` names it. Views are those of grain-product §10.
package struct AppView: Sendable {
  /// Its tables, in the order in which they are made.
  package static let migrations = [
    """
    CREATE TABLE appview_record (
      uri TEXT PRIMARY KEY, did TEXT NOT NULL, collection TEXT NOT NULL, cid TEXT NOT NULL,
      value TEXT NOT NULL, created TEXT NOT NULL, indexed TEXT NOT NULL) STRICT;
    CREATE INDEX appview_record_collection ON appview_record (collection, did, created);
    CREATE TABLE appview_actor (did TEXT PRIMARY KEY, handle TEXT) STRICT;
    """
  ]

  /// Its public origin.
  let url: URL
  /// Its DID and service id, as the header and the scope name it.
  let service: AppViewService
  /// The OAuth client metadata document it serves, at the path of the client id.
  let clientDocument: JSONObject
  let index: AppViewIndex
  let identities: DIDDocuments
  let http: HTTPClient
  let clock: SystemClock

  /// An AppView that knows what the store holds.
  package init(
    url: URL, service: AppViewService, clientDocument: JSONObject, plcDirectory: URL,
    store: SandboxStore, http: HTTPClient, clock: SystemClock
  ) {
    self.url = url
    self.service = service
    self.clientDocument = clientDocument
    self.http = http
    self.clock = clock
    index = AppViewIndex(store: store)
    identities = DIDDocuments(plcDirectory: plcDirectory, http: http)
  }

  /// Answers any request to its origin.
  package func handle(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    if request.method == "OPTIONS" { return .preflight }
    switch request.path {
    case "/.well-known/did.json": return .json(didDocument.serialized())
    case "/oauth/app-client-metadata.json":
      return .json(JSONValue.object(clientDocument).serialized())
    case let path where path.hasPrefix("/img/"): return await image(path)
    case let path where path.hasPrefix("/xrpc/"):
      return await xrpc(request, name: String(path.dropFirst("/xrpc/".count)))
    default: return .html("<html><body><h1>404 Not Found</h1></body></html>", status: 404)
    }
  }

  private var didDocument: JSONValue {
    [
      "@context": ["https://www.w3.org/ns/did/v1"], "id": .string(service.did.rawValue),
      "service": [
        [
          "id": .string("#\(service.serviceID)"), "type": "GrainAppView",
          "serviceEndpoint": .string(url.absoluteString),
        ]
      ],
    ]
  }

  private func xrpc(_ request: HTTPServerRequest, name: String) async -> HTTPServerResponse {
    await PersonalDataServer.answering {
      // A name that is none is as unknown as one that nobody implements.
      guard let method = try? NSID(name), let handler = Self.methods[method] else {
        throw XRPCRefusal(501, "MethodNotImplemented", "Method Not Implemented")
      }
      let isQuery = !Self.procedures.contains(method)
      guard isQuery == (request.method != "POST") else {
        throw XRPCRefusal.invalid(
          "Incorrect HTTP method (\(request.method)) expected \(isQuery ? "GET" : "POST")")
      }
      let viewer = try await ServiceTokenJudge(
        audience: service.did, identities: identities, clock: clock
      ).caller(of: request, method: method)
      return try await handler(self, Call(request: request, method: method, viewer: viewer))
    }
  }

  /// One call, with who is calling.
  struct Call: Sendable {
    let request: HTTPServerRequest
    let method: NSID
    /// `nil` for a call in nobody's name.
    let viewer: DID?

    var parameters: XRPCParameters { XRPCParameters(method, of: request) }
  }

  private typealias Handler = @Sendable (AppView, Call) async throws -> HTTPServerResponse

  private static let procedures = [MethodNames.indexRecords, MethodNames.deleteAccount]

  private static let methods: [NSID: Handler] = [
    MethodNames.indexRecords: { try await $0.indexRecords($1) },
    MethodNames.deleteAccount: { try await $0.deleteAccount($1) },
    MethodNames.resolveHandle: { try await $0.resolveHandle($1) },
    MethodNames.getFeed: { try await $0.getFeed($1) },
    MethodNames.getRecord: { try await $0.getRecord($1) },
    MethodNames.getGallery: { try await $0.getGallery($1) },
    MethodNames.getActorProfile: { try await $0.getActorProfile($1) },
    MethodNames.searchActorsTypeahead: { try await $0.searchActorsTypeahead($1) },
    // The same search under the name the public resolver gives it: sign-in suggestions ask that one.
    NSID(constant: "app.bsky.actor.searchActorsTypeahead"): {
      try await $0.searchActorsTypeahead($1)
    },
  ]
}
