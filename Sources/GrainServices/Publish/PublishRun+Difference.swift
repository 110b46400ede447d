import ATSyntax
import GrainLexicon
import StrictJSON

/// Writing the difference of a draft over a published gallery: only onto what the person saw.
extension PublishRun {
  /// What a commit may rest on.
  enum Base {
    /// Nothing: the gallery is new.
    case new
    /// The repository as of this commit.
    case commit(CID)
    /// A record that would be changed is not as it was.
    case changed
  }

  /// Finds the commit that a difference may be written onto.
  ///
  /// Other records may have changed meanwhile, such as a favourite given elsewhere; those that are
  /// about to be written must not.
  func base(of writes: [RecordWrite]) async throws(CallFault) -> Base {
    guard let published = draft.published else { return .new }
    let newest = try await client.latestCommit()
    if newest == published.commit { return .commit(newest) }
    var versions: [ATURI: CID] = [:]
    func note(_ collection: NSID, _ record: RepositoryRecord) {
      versions[ATURI(draft.repo, collection, record.key)] = record.cid
    }
    note(CollectionNames.gallery, published.gallery)
    for photo in published.photos.values {
      note(CollectionNames.photo, photo.photo)
      note(CollectionNames.galleryItem, photo.item)
      for exif in photo.exif { note(CollectionNames.photoEXIF, exif) }
    }
    for write in writes where write.action != .create {
      let found = try await client.getRecord(write.collection, write.key)
      guard let found, found.cid == versions[write.uri(in: draft.repo)] else { return .changed }
    }
    return .commit(newest)
  }

  /// Whether what the PDS has of the gallery is what this draft writes.
  func isLanded(_ found: RepositoryRecord) -> Bool {
    guard draft.published != nil else { return true }
    let head = GalleryRecords(draft)?.writes.first { $0.collection == CollectionNames.gallery }
    return head?.value == found.value
  }
}
