import ATSyntax
import GrainLexicon

/// The Bluesky post of a draft whose gallery is up.
///
/// Made from what is on disk: a repeat is the same record under the same key. Source: grain-product §13.
package struct CrossPost {
  /// The post as it is sent.
  package let write: RecordWrite

  /// The post of a draft whose photographs are at the server, the first four of them shown (FB-D13);
  /// `nil` until its record keys are fixed. `site` is where galleries are read, such as
  /// `https://grain.social`.
  package init?(_ draft: Draft, site: String) {
    guard let sending = draft.sending, let key = sending.postKey else { return nil }
    let text = CrossPostText(
      title: draft.title, description: draft.description,
      place: PlaceLine.text(draft.location, draft.address),
      // The DID, since a handle may change; never cut, since the AppView finds the post by it.
      url: "\(site)/profile/\(draft.repo)/gallery/\(sending.galleryKey)")
    let images = draft.orderedPhotos.compactMap { photo -> BlueskyPostRecord.Image? in
      guard let blob = photo.blob, let prepared = photo.prepared else { return nil }
      return BlueskyPostRecord.Image(
        image: blob, alt: photo.alt,
        aspectRatio: AspectRatio(width: prepared.width, height: prepared.height))
    }
    let record = BlueskyPostRecord(
      text: text.text, facets: text.facets(mentions: draft.knownMentions),
      images: Array(images.prefix(4)), tags: ["grainsocial"], labels: draft.labels,
      createdAt: draft.createdAt)
    write = RecordWrite(collection: CollectionNames.blueskyPost, key: key, value: record.json)
  }
}

extension Draft {
  /// The accounts behind the handles that the texts mention, as far as they were found.
  var knownMentions: [Handle: DID] {
    Dictionary(
      (sending?.mentions ?? [:]).compactMap { text, did in
        // The keys are handles: they were written by this core.
        (try? Handle(text)).map { ($0, did) }
      }, uniquingKeysWith: { first, _ in first })
  }
}
