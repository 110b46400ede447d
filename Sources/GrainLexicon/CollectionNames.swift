package import ATSyntax

/// The collections this core reads and writes, in one table (G99).
package enum CollectionNames {
  package static let gallery = NSID(constant: "social.grain.gallery")
  package static let galleryItem = NSID(constant: "social.grain.gallery.item")
  package static let photo = NSID(constant: "social.grain.photo")
  package static let photoEXIF = NSID(constant: "social.grain.photo.exif")
  package static let actorProfile = NSID(constant: "social.grain.actor.profile")
  package static let follow = NSID(constant: "social.grain.graph.follow")
  package static let block = NSID(constant: "social.grain.graph.block")
  package static let favorite = NSID(constant: "social.grain.favorite")
  package static let comment = NSID(constant: "social.grain.comment")
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
