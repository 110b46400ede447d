package import ATSyntax

/// The collections this core reads and writes, in one table (G99).
package enum CollectionNames {
  /// A set of photographs: the head record.
  package static let gallery = NSID(constant: "social.grain.gallery")
  /// A photo's place in a gallery.
  package static let galleryItem = NSID(constant: "social.grain.gallery.item")
  /// One picture.
  package static let photo = NSID(constant: "social.grain.photo")
  /// What the camera wrote about a photo.
  package static let photoEXIF = NSID(constant: "social.grain.photo.exif")
  /// How an account presents itself; key `self`.
  package static let actorProfile = NSID(constant: "social.grain.actor.profile")
  /// Somebody followed.
  package static let follow = NSID(constant: "social.grain.graph.follow")
  /// Somebody blocked.
  package static let block = NSID(constant: "social.grain.graph.block")
  /// A gallery, story or comment liked.
  package static let favorite = NSID(constant: "social.grain.favorite")
  /// Words about a gallery or story.
  package static let comment = NSID(constant: "social.grain.comment")
  /// A picture for a day.
  package static let story = NSID(constant: "social.grain.story")

  /// The cross-post; the AppView does not index it.
  package static let blueskyPost = NSID(constant: "app.bsky.feed.post")
  /// Where a new account's Grain profile is copied from (G114).
  package static let blueskyProfile = NSID(constant: "app.bsky.actor.profile")

  /// Whether a landed write must be told to the AppView (`social.grain.sync.indexRecords`).
  package static func isIndexed(_ collection: NSID) -> Bool {
    !collection.rawValue.hasPrefix("app.bsky.")
  }
}
