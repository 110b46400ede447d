import ATSyntax
import Foundation
import GrainLexicon
import HTTPServing
import StrictJSON

/// The queries of grain-product §7 that the core asks.
extension AppView {
  func getGallery(_ call: Call) async throws -> HTTPServerResponse {
    let uri = try await byDID(try call.parameters.required("gallery", as: ATURI.self))
    guard let record = try await index.record(uri), uri.collection == CollectionNames.gallery
    else { throw XRPCRefusal(404, "NotFound", "Gallery not found") }
    return .xrpc(["gallery": try await galleryView(of: record, viewer: call.viewer)])
  }

  func getRecord(_ call: Call) async throws -> HTTPServerResponse {
    let uri = try await byDID(try call.parameters.required("uri", as: ATURI.self))
    guard let record = try await index.record(uri) else {
      throw XRPCRefusal(404, "NotFound", "Record not found")
    }
    return .xrpc([
      "record": [
        "uri": .string(uri.rawValue), "cid": .string(record.cid), "value": .object(record.value),
      ]
    ])
  }

  func getActorProfile(_ call: Call) async throws -> HTTPServerResponse {
    let actor = try call.parameters.required("actor", as: ATIdentifier.self)
    guard let did = await did(of: actor),
      let view = try await detailedProfile(of: did, viewer: call.viewer)
    else { throw XRPCRefusal(404, "NotFound", "Profile not found") }
    return .xrpc(view)
  }

  /// Newest first; the cursor is the last item's place in time.
  func getFeed(_ call: Call) async throws -> HTTPServerResponse {
    let parameters = call.parameters
    let limit = try parameters.integer("limit", in: 1...100, default: 30)
    let galleries = try await galleries(for: call)
    let rest = galleries.drop { gallery in
      parameters.text("cursor").map { Self.place(gallery) >= $0 } ?? false
    }
    let page = Array(rest.prefix(limit))
    var views: [JSONValue] = []
    for gallery in page { views.append(try await galleryView(of: gallery, viewer: call.viewer)) }
    var body: JSONObject = ["items": .array(views)]
    if rest.count > page.count, let last = page.last { body["cursor"] = .string(Self.place(last)) }
    return .xrpc(.object(body))
  }

  /// Accounts whose handle or name starts with the text.
  func searchActorsTypeahead(_ call: Call) async throws -> HTTPServerResponse {
    let query = try call.parameters.required("q").lowercased()
    let limit = try call.parameters.integer("limit", in: 1...10, default: 5)
    var found: [JSONValue] = []
    for did in try await index.actors() where found.count < limit {
      let profile = try await profile(of: did)
      let names = [profile["handle"], profile["displayName"]].compactMap { $0?.stringValue }
      guard names.contains(where: { $0.lowercased().hasPrefix(query) }) else { continue }
      found.append(
        .object(
          JSONObject(
            profile.members.filter { ["did", "handle", "displayName", "avatar"].contains($0.key) }
              .map { ($0.key, $0.value) })))
    }
    return .xrpc(["actors": .array(found)])
  }

  private static func place(_ record: IndexedRecord) -> String {
    "\(record.createdAt)::\(record.uri)"
  }

  private func galleries(for call: Call) async throws -> [IndexedRecord] {
    let parameters = call.parameters
    let collection = CollectionNames.gallery
    func required(_ name: String) throws -> String { try parameters.required(name) }
    switch try parameters.required("feed") {
    case "recent", "foryou": return try await index.records(in: collection)
    case "actor":
      let actor = try parameters.required("actor", as: ATIdentifier.self)
      guard let did = await did(of: actor) else { return [] }
      return try await index.records(in: collection, by: did)
    case "following":
      guard let viewer = call.viewer else { return [] }
      let follows = try await index.records(in: CollectionNames.follow, by: viewer)
      let followed = Set(follows.compactMap { $0.value["subject"]?.stringValue })
      return try await index.records(in: collection).filter { followed.contains($0.did.rawValue) }
    case "camera":
      let camera = try required("camera")
      return try await filter(try await index.records(in: collection)) {
        try await cameras(of: $0).contains(camera)
      }
    case "location":
      let cell = try required("location")
      let name = parameters.text("name")
      return try await index.records(in: collection).filter {
        $0.value["location"]?["value"]?.stringValue == cell
          || (name != nil && $0.value["location"]?["name"]?.stringValue == name)
      }
    case "hashtag":
      let tag = try required("tag").lowercased()
      return try await index.records(in: collection).filter { gallery in
        Facet.read(gallery.value["facets"]).contains { facet in
          if case .tag(let found) = facet.feature { found.lowercased() == tag } else { false }
        }
      }
    case let unknown: throw XRPCRefusal.invalid("Unknown feed: \(unknown)")
    }
  }

  private func filter(
    _ records: [IndexedRecord], _ isIncluded: (IndexedRecord) async throws -> Bool
  ) async throws -> [IndexedRecord] {
    var kept: [IndexedRecord] = []
    for record in records where try await isIncluded(record) { kept.append(record) }
    return kept
  }

  /// The same address with the authority's DID: callers may name an account by its handle.
  private func byDID(_ uri: ATURI) async throws -> ATURI {
    guard let collection = uri.collection, let key = uri.recordKey,
      let did = await did(of: uri.authority)
    else { throw XRPCRefusal(404, "NotFound", "Record not found") }
    return ATURI(did, collection, key)
  }

  private func did(of actor: ATIdentifier) async -> DID? {
    switch actor {
    case .did(let did): did
    case .handle(let handle): await HandleLookup(http: http).did(of: handle)
    }
  }
}
