import ATSyntax
import GrainLexicon
import StrictJSON

/// What a repository holds of one published gallery, read at the PDS, which cannot lag (G100).
struct GallerySurvey: Sendable {
  /// The newest commit when reading began: a later change is noticed by it.
  let commit: CID
  /// The head record; `nil` when it is gone.
  let gallery: RepositoryRecord?
  /// The places of photographs, in the order of their positions.
  let items: [RepositoryRecord]
  /// The photographs that are there, by address.
  let photos: [ATURI: RepositoryRecord]
  /// What is said about them.
  let notes: [ATURI: [RepositoryRecord]]
  /// Photographs that another gallery of the account shows too.
  let shared: Set<ATURI>

  /// Reads all of it, page by page.
  static func read(
    _ key: RecordKey, of did: DID, _ client: RepositoryClient
  ) async throws(CallFault) -> GallerySurvey {
    let commit = try await client.latestCommit()
    let address = ATURI(did, CollectionNames.gallery, key)
    let gallery = try await client.getRecord(CollectionNames.gallery, key)
    let all = try await client.all(CollectionNames.galleryItem)
    let items = all.filter { $0.names(address, in: "gallery") }
      .sorted { ($0.position, $0.key.rawValue) < ($1.position, $1.key.rawValue) }
    let wanted = Set(items.compactMap(\.item))
    let shared = Set(
      all.filter { !$0.names(address, in: "gallery") }.compactMap(\.item)
    ).intersection(wanted)
    var photos: [ATURI: RepositoryRecord] = [:]
    var notes: [ATURI: [RepositoryRecord]] = [:]
    if !wanted.isEmpty {
      for photo in wanted {
        guard case .did(did) = photo.authority, let key = photo.recordKey else { continue }
        photos[photo] = try await client.getRecord(CollectionNames.photo, key)
      }
      for note in try await client.all(CollectionNames.photoEXIF) {
        guard let photo = note.address(in: "photo"), wanted.contains(photo) else { continue }
        notes[photo, default: []].append(note)
      }
    }
    return GallerySurvey(
      commit: commit, gallery: gallery, items: items, photos: photos, notes: notes, shared: shared)
  }

  /// Everything that goes with the gallery, whatever names a record before that record, the places after
  /// the photographs they name, the head last: wherever a deletion is cut off, the next one finds the rest.
  /// `remarks` are the account's own favourites and comments on it.
  func deletions(_ remarks: [RecordWrite]) -> [RecordWrite] {
    let mine = photos.filter { !shared.contains($0.key) }.sorted {
      $0.key.rawValue < $1.key.rawValue
    }
    return remarks
      + mine.flatMap { notes[$0.key] ?? [] }.map { .delete(CollectionNames.photoEXIF, $0.key) }
      + mine.map { .delete(CollectionNames.photo, $0.value.key) }
      + items.map { .delete(CollectionNames.galleryItem, $0.key) }
      + (gallery.map { [.delete(CollectionNames.gallery, $0.key)] } ?? [])
  }
}

extension RepositoryClient {
  /// All records of a collection.
  func all(_ collection: NSID) async throws(CallFault) -> [RepositoryRecord] {
    var found: [RepositoryRecord] = []
    var cursor: String?
    repeat {
      let page = try await listRecords(collection, cursor)
      found += page.records
      // A server that gives the same cursor twice would never end.
      guard !page.records.isEmpty, page.cursor != cursor else { break }
      cursor = page.cursor
    } while cursor != nil
    return found
  }

  /// The account's own favourites and comments on a record, as deletions.
  func remarks(on subject: ATURI) async throws(CallFault) -> [RecordWrite] {
    var found: [RecordWrite] = []
    for collection in [CollectionNames.favorite, CollectionNames.comment] {
      found += try await all(collection).filter { $0.names(subject, in: "subject") }
        .map { .delete(collection, $0.key) }
    }
    return found
  }
}

extension RepositoryRecord {
  /// The photograph that an item places.
  var item: ATURI? { address(in: "item") }

  fileprivate var position: Int { value["position"]?.intValue ?? .max }

  fileprivate func address(in member: String) -> ATURI? {
    // What is no address names nothing.
    try? ATURI(value[member]?.stringValue ?? "")
  }

  fileprivate func names(_ address: ATURI, in member: String) -> Bool {
    value[member]?.stringValue == address.rawValue
  }
}
