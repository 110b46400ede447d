import ATSyntax
import Foundation
import GrainLexicon
import HTTPTransport
import StrictJSON
import Testing

/// What an account's repository holds of galleries, read from its server without a token.
struct Repository {
  /// One published gallery, its photographs in the order of their positions.
  struct Gallery {
    let uri: String
    let title: String
    let photos: [Photo]
  }

  /// One photograph of a gallery.
  struct Photo {
    let position: Int
    let alt: String
    let width: Int
    let height: Int
    let blob: String
    let hasEXIF: Bool
  }

  /// One record.
  struct Record {
    let uri: String
    let value: JSONValue
  }

  let did: DID
  private let server: URL
  private let http: HTTPClient
  private let records: [NSID: [Record]]

  private static let collections = [
    CollectionNames.gallery, CollectionNames.galleryItem, CollectionNames.photo,
    CollectionNames.photoEXIF, CollectionNames.blueskyPost, CollectionNames.favorite,
    CollectionNames.comment,
  ]

  /// Reads every collection that publishing writes to.
  static func read(_ did: DID, at server: URL, http: HTTPClient) async throws -> Repository {
    var records: [NSID: [Record]] = [:]
    for collection in collections {
      records[collection] = try await list(collection, of: did, at: server, http)
    }
    return Repository(did: did, server: server, http: http, records: records)
  }

  private static func list(
    _ collection: NSID, of did: DID, at server: URL, _ http: HTTPClient
  ) async throws -> [Record] {
    var found: [Record] = []
    var cursor: String?
    repeat {
      var query = [
        ("repo", did.rawValue), ("collection", collection.rawValue), ("limit", "100"),
      ]
      if let cursor { query.append(("cursor", cursor)) }
      let answer = try await get(server, MethodNames.listRecords, query, http)
      let json = try JSONParser.parse(answer, limits: .document)
      let page = json["records"]?.arrayValue ?? []
      found += page.compactMap { record in
        guard let uri = record["uri"]?.stringValue, let value = record["value"] else { return nil }
        return Record(uri: uri, value: value)
      }
      cursor = page.isEmpty ? nil : json["cursor"]?.stringValue
    } while cursor != nil
    return found
  }

  private static func get(
    _ server: URL, _ method: NSID, _ query: [(String, String)], _ http: HTTPClient
  ) async throws -> [UInt8] {
    let url = try #require(
      URL(string: "\(server)/xrpc/\(method)?\(FormURLEncoding.encodeText(query))"))
    let response = try await http.send(
      HTTPRequest(method: "GET", url: url, maximumBodyBytes: 8 << 20))
    try #require(response.status == 200, "\(method) answered \(response.status)")
    return response.body
  }

  func all(_ collection: NSID) -> [Record] { records[collection] ?? [] }

  /// The galleries, oldest key first.
  var galleries: [Gallery] {
    let photos = Dictionary(
      all(CollectionNames.photo).map { ($0.uri, $0.value) }, uniquingKeysWith: { first, _ in first }
    )
    let described = Set(
      all(CollectionNames.photoEXIF).compactMap { $0.value["photo"]?.stringValue })
    return all(CollectionNames.gallery).sorted { $0.uri < $1.uri }.map { gallery in
      let items = all(CollectionNames.galleryItem).filter {
        $0.value["gallery"]?.stringValue == gallery.uri
      }
      let shown = items.compactMap { item -> Photo? in
        guard let uri = item.value["item"]?.stringValue, let photo = photos[uri] else { return nil }
        return Photo(
          position: item.value["position"]?.intValue ?? -1, photo, hasEXIF: described.contains(uri))
      }
      return Gallery(
        uri: gallery.uri, title: gallery.value["title"]?.stringValue ?? "",
        photos: shown.sorted { $0.position < $1.position })
    }
  }

  /// The posts on Bluesky, oldest key first.
  var posts: [JSONValue] {
    all(CollectionNames.blueskyPost).sorted { $0.uri < $1.uri }.map(\.value)
  }

  /// Records that hang off nothing: photographs in no gallery, items and notes without their subject.
  var orphans: [String] {
    let galleries = Set(all(CollectionNames.gallery).map(\.uri))
    let photos = Set(all(CollectionNames.photo).map(\.uri))
    let shown = Set(all(CollectionNames.galleryItem).compactMap { $0.value["item"]?.stringValue })
    let lostItems = all(CollectionNames.galleryItem).filter { item in
      !galleries.contains(item.value["gallery"]?.stringValue ?? "")
        || !photos.contains(item.value["item"]?.stringValue ?? "")
    }
    let lostNotes = all(CollectionNames.photoEXIF).filter {
      !photos.contains($0.value["photo"]?.stringValue ?? "")
    }
    return (lostItems + lostNotes).map(\.uri) + photos.subtracting(shown).sorted()
  }

  /// The bytes of a published picture.
  func blob(_ photo: Photo) async throws -> [UInt8] {
    try await Self.get(
      server, MethodNames.getBlob, [("did", did.rawValue), ("cid", photo.blob)], http)
  }

  /// Insists on a number of whole galleries, each with that many photographs, and nothing else.
  func expect(
    galleries count: Int = 1, photos: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(galleries.count == count, sourceLocation: sourceLocation)
    for gallery in galleries {
      #expect(
        gallery.photos.map(\.position) == Array(0..<photos), sourceLocation: sourceLocation)
    }
    #expect(orphans == [], sourceLocation: sourceLocation)
  }
}

extension Repository.Photo {
  fileprivate init(position: Int, _ record: JSONValue, hasEXIF: Bool) {
    self.init(
      position: position, alt: record["alt"]?.stringValue ?? "",
      width: record["aspectRatio"]?["width"]?.intValue ?? 0,
      height: record["aspectRatio"]?["height"]?.intValue ?? 0,
      blob: record["photo"]?["ref"]?["$link"]?.stringValue ?? "", hasEXIF: hasEXIF)
  }
}
