import ATSyntax
import SystemClients
import Foundation
import GrainLexicon
import HTTPServing
import HTTPTransport
import StrictJSON

extension AppView {
  /// `social.grain.sync.indexRecords`: looks each named record up at its own server.
  ///
  /// What is there is indexed, what is gone is forgotten; a server that cannot be asked fails the
  /// call, since "cannot tell" is not "gone".
  func indexRecords(_ call: Call) async throws -> HTTPServerResponse {
    guard call.viewer != nil else {
      throw XRPCRefusal(401, "AuthMissing", "Authentication Required")
    }
    let input = try XRPCInput(call.request, limit: 100_000)
    let uris = try input.array("uris")
    guard uris.count <= MethodNames.indexBatch else {
      throw XRPCRefusal.invalid(
        "array too big (maximum \(MethodNames.indexBatch), got \(uris.count)) at $.uris")
    }
    let addresses = try uris.enumerated().map { index, value in
      // Which rule a URI breaks is not reported.
      guard let uri = try? ATURI(value.stringValue ?? ""), case .did = uri.authority,
        uri.recordKey != nil
      else {
        throw XRPCRefusal.invalid("Invalid AT-URI (got \(value.typeName)) at $.uris[\(index)]")
      }
      return uri
    }
    for uri in addresses { try await learn(uri) }
    return .xrpc([:])
  }

  /// Looks one record up at its own server.
  func learn(_ uri: ATURI) async throws {
    guard case .did(let did) = uri.authority, let collection = uri.collection,
      let key = uri.recordKey, collection.rawValue.hasPrefix("social.grain.")
    else { return }
    switch try await fetch(did, collection, key) {
    case .found(let cid, let value):
      try await noteActor(did)
      let now = ATDateTime.string(from: clock.now())
      if let record = IndexedRecord(uri: uri, cid: cid, value: value, indexedAt: now) {
        try await index.put(record)
      }
    case .gone: try await index.remove(uri)
    }
  }

  private enum Fetched {
    case found(cid: String, value: JSONObject)
    case gone
  }

  private func fetch(_ did: DID, _ collection: NSID, _ key: RecordKey) async throws -> Fetched {
    guard let server = try await server(of: did) else { return .gone }
    let query = FormURLEncoding.encodeText([
      ("repo", did.rawValue), ("collection", collection.rawValue), ("rkey", key.rawValue),
    ])
    let address = "\(server.absoluteString)/xrpc/\(MethodNames.getRepoRecord)?\(query)"
    guard let url = URL(string: address) else { throw XRPCRefusal.internalError }
    let response: HTTPResponse
    let body: JSONValue
    do {
      response = try await http.send(HTTPRequest(url: url))
      body = try JSONParser.parse(response.body, limits: .document)
    } catch {
      throw XRPCRefusal(502, "UpstreamFailure", "Could not reach the repository of \(did)")
    }
    if response.status == 400, body["error"] == "RecordNotFound" { return .gone }
    guard response.status == 200, let cid = body["cid"]?.stringValue,
      case .object(let value)? = body["value"]
    else { throw XRPCRefusal(502, "UpstreamFailure", "Could not read the repository of \(did)") }
    return .found(cid: cid, value: value)
  }

  /// The account's own server; `nil` when the identity is gone.
  func server(of did: DID) async throws -> URL? {
    do {
      return try await identities.document(of: did).endpoint("atproto_pds")
    } catch .notFound {
      return nil
    } catch {
      throw XRPCRefusal(502, "UpstreamFailure", "Could not resolve \(did)")
    }
  }

  /// Looks the account's handle up, both ways.
  private func noteActor(_ did: DID) async throws {
    // Without a document there is no handle, and that is all this asks for.
    guard let claimed = try? await identities.document(of: did).claimedHandle else { return }
    let confirmed = await HandleLookup(http: http).did(of: claimed)
    try await index.note(did, handle: confirmed == did ? claimed : nil)
  }

  /// `com.atproto.identity.resolveHandle`, as a public resolver answers it (wire §1.3).
  func resolveHandle(_ call: Call) async throws -> HTTPServerResponse {
    let handle = try call.parameters.required("handle", as: Handle.self)
    guard let did = await HandleLookup(http: http).did(of: handle) else {
      throw XRPCRefusal.invalid("Unable to resolve handle")
    }
    return .xrpc(["did": .string(did.rawValue)])
  }

  /// A picture by way of the AppView: `/img/<size>/<did>/<cid>`, fetched from its server.
  func image(_ path: String) async -> HTTPServerResponse {
    await PersonalDataServer.answering {
      let parts = path.split(separator: "/").map(String.init)
      // Anything but a picture's address is a page that does not exist.
      guard parts.count == 4, let did = try? DID(PercentDecoding.decode(parts[2]) ?? ""),
        let cid = try? CID(parts[3]), let server = try await server(of: did)
      else { throw XRPCRefusal(404, "NotFound", "Image not found") }
      let query = FormURLEncoding.encodeText([("did", did.rawValue), ("cid", cid.rawValue)])
      guard let url = URL(string: "\(server.absoluteString)/xrpc/\(MethodNames.getBlob)?\(query)")
      else { throw XRPCRefusal.internalError }
      let response = try await http.send(HTTPRequest(url: url, maximumBodyBytes: 10 << 20))
      guard response.status == 200 else { throw XRPCRefusal(404, "NotFound", "Image not found") }
      return HTTPServerResponse(
        status: 200,
        headers: [
          "Content-Type": response.contentType ?? "application/octet-stream",
          "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*",
        ], body: response.body)
    }
  }
}
