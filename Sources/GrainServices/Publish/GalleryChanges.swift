import ATSyntax
import GrainLexicon
import StrictJSON

/// The difference between a draft and the published gallery it was opened over, as writes of one
/// commit; members of records that this core does not know stay as they are.
struct GalleryChanges {
  private let draft: Draft
  private let published: PublishedGallery
  private let records: GalleryRecords
  private let editedAt: ATDateTime

  /// `nil` for a new gallery; the records are those of the same draft, with keys fixed.
  init?(_ draft: Draft, _ records: GalleryRecords) {
    guard let published = draft.published, let editedAt = draft.sending?.editedAt else {
      return nil
    }
    self.draft = draft
    self.published = published
    self.records = records
    self.editedAt = editedAt
  }

  /// New photographs, captions, the head record, places, and what goes; empty where nothing differs.
  var writes: [RecordWrite] {
    let photos = draft.orderedPhotos
    let made = photos.filter { published.photos[$0.id] == nil }.flatMap(records.photoWrites)
    let captions = photos.compactMap(caption)
    let places = photos.enumerated().compactMap { place($1, position: $0) }
    let gone = published.photos.filter { draft.photos[$0.key] == nil }
      .sorted { $0.key < $1.key }.map(\.value)
    let deletions = gone.flatMap(removal) + unwantedNotes
    let fields = changedFields
    if (made + captions + places + deletions).isEmpty, fields.isEmpty { return [] }
    return made + captions + [head(fields)] + places + deletions
  }

  // MARK: Photographs

  private func caption(_ photo: DraftPhoto) -> RecordWrite? {
    guard let old = published.photos[photo.id]?.photo,
      (old.value["alt"]?.stringValue ?? "") != photo.alt
    else { return nil }
    var value = old.value
    value["alt"] = photo.alt.isEmpty ? nil : .string(photo.alt)
    return .update(CollectionNames.photo, old.key, value)
  }

  private func place(_ photo: DraftPhoto, position: Int) -> RecordWrite? {
    guard let old = published.photos[photo.id]?.item else {
      return records.itemWrite(photo, position: position)
    }
    guard old.value["position"]?.intValue != position else { return nil }
    var value = old.value
    value["position"] = .number(JSONNumber(position))
    return .update(CollectionNames.galleryItem, old.key, value)
  }

  private func removal(_ photo: PublishedGallery.Photo) -> [RecordWrite] {
    let item = RecordWrite.delete(CollectionNames.galleryItem, photo.item.key)
    if photo.isShared { return [item] }
    return [item] + photo.exif.map { .delete(CollectionNames.photoEXIF, $0.key) }
      + [.delete(CollectionNames.photo, photo.photo.key)]
  }

  /// Camera notes of photographs that stay, once the person wants none.
  private var unwantedNotes: [RecordWrite] {
    if draft.includeExif { return [] }
    return draft.orderedPhotos.compactMap { published.photos[$0.id] }.flatMap { photo in
      photo.exif.map { .delete(CollectionNames.photoEXIF, $0.key) }
    }
  }

  // MARK: The head record

  private static let members = [
    "title", "description", "facets", "labels", "location", "address",
  ]

  /// The members that the draft changes, with their new value, or none.
  private var changedFields: [(String, JSONValue?)] {
    var before = Draft(id: draft.id, repo: draft.repo, createdAt: draft.createdAt)
    before.readFields(of: published.gallery.value)
    let old = GalleryRecords.head(of: before).json
    let new = GalleryRecords.head(of: draft).json
    // Facets follow their text: those of one that stays are as somebody wrote them.
    let keepsText = old["description"] == new["description"]
    return Self.members.filter { member in
      member == "facets" ? !keepsText : old[member] != new[member]
    }.map { ($0, new[$0]) }
  }

  private func head(_ fields: [(String, JSONValue?)]) -> RecordWrite {
    var value = published.gallery.value
    for (member, new) in fields { value[member] = new }
    value["updatedAt"] = .string(editedAt.rawValue)
    return .update(CollectionNames.gallery, published.gallery.key, value)
  }
}

extension Draft {
  /// Takes over what a published gallery's head record says.
  mutating func readFields(of record: JSONObject) {
    title = record["title"]?.stringValue ?? ""
    description = record["description"]?.stringValue ?? ""
    labels = record["labels"]?["values"]?.arrayValue?.compactMap { $0["val"]?.stringValue } ?? []
    location = record["location"]?["value"]?.stringValue.map {
      GridLocation(value: $0, name: record["location"]?["name"]?.stringValue)
    }
    address = record["address"]?["country"]?.stringValue.map { country in
      func part(_ name: String) -> String? { record["address"]?[name]?.stringValue }
      return PostalAddress(
        country: country, postalCode: part("postalCode"), region: part("region"),
        locality: part("locality"), street: part("street"), name: part("name"))
    }
  }
}
