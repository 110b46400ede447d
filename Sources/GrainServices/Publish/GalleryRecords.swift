package import ATSyntax
import GrainLexicon

/// The records of a draft, in the order of the one commit.
///
/// Per photograph `photo`, then its `exif` when wanted and found; then the gallery; then the items
/// with positions from 0. Source: grain-product §12.
package struct GalleryRecords {
  private let draft: Draft
  private let sending: Draft.Sending

  /// - Returns: `nil` until the draft's record keys are fixed.
  package init?(_ draft: Draft) {
    guard let sending = draft.sending else { return nil }
    self.draft = draft
    self.sending = sending
  }

  /// The gallery's address.
  package var galleryURI: ATURI {
    uri(CollectionNames.gallery, sending.galleryKey)
  }

  /// Whether every photograph is at the server: only then may the commit be sent.
  package var isComplete: Bool {
    !draft.photoOrder.isEmpty
      && draft.orderedPhotos.filter { $0.blob != nil && $0.prepared != nil }.count
        == draft.photoOrder.count
  }

  /// Everything the commit writes, of the photographs that are at the server: a whole gallery, or the
  /// difference to the published one.
  package var writes: [RecordWrite] {
    if let changes = GalleryChanges(draft, self) { return changes.writes }
    let ready = draft.orderedPhotos.filter { $0.blob != nil && $0.prepared != nil }
    return ready.flatMap(photoWrites) + [galleryWrite]
      + ready.enumerated().compactMap { position, photo in itemWrite(photo, position: position) }
  }

  func photoWrites(_ photo: DraftPhoto) -> [RecordWrite] {
    guard let keys = sending.photoKeys[photo.id], let blob = photo.blob,
      let prepared = photo.prepared
    else { return [] }
    let record = PhotoRecord(
      photo: blob, alt: photo.alt,
      aspectRatio: AspectRatio(width: prepared.width, height: prepared.height),
      createdAt: draft.createdAt)
    var writes = [
      RecordWrite(collection: CollectionNames.photo, key: keys.photo, value: record.json)
    ]
    if draft.includeExif, let exif = prepared.exif {
      let record = PhotoEXIFRecord(
        photo: uri(CollectionNames.photo, keys.photo), createdAt: draft.createdAt, exif: exif)
      writes.append(
        RecordWrite(collection: CollectionNames.photoEXIF, key: keys.exif, value: record.json))
    }
    return writes
  }

  private var galleryWrite: RecordWrite {
    RecordWrite(
      collection: CollectionNames.gallery, key: sending.galleryKey, value: Self.head(of: draft).json
    )
  }

  /// The head record a draft makes.
  static func head(of draft: Draft) -> GalleryRecord {
    let description = draft.description.trimmed
    return GalleryRecord(
      title: draft.title.trimmed, description: description,
      facets: Facet.facets(of: description, mentions: draft.knownMentions), labels: draft.labels,
      location: draft.location,
      address: draft.address, createdAt: draft.createdAt)
  }

  func itemWrite(_ photo: DraftPhoto, position: Int) -> RecordWrite? {
    guard let keys = sending.photoKeys[photo.id] else { return nil }
    let record = GalleryItemRecord(
      gallery: galleryURI, item: uri(CollectionNames.photo, keys.photo), position: position,
      createdAt: draft.createdAt)
    return RecordWrite(
      collection: CollectionNames.galleryItem, key: keys.item, value: record.json)
  }

  private func uri(_ collection: NSID, _ key: RecordKey) -> ATURI {
    ATURI(draft.repo, collection, key)
  }
}
