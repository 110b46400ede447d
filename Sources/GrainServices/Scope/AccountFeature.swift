import ATOAuth
import ATSyntax
import GrainLexicon

/// What a person does with an account, as far as its grant may stop it (G110).
package enum AccountFeature: String, CaseIterable, Sendable {
  /// Galleries of photographs.
  case publish
  /// Camera data beside published photographs.
  case exif
  /// Changing and deleting galleries.
  case edit
  /// A Bluesky post about a gallery.
  case crossPost
  case comment
  case favorite
  case follow
  case block
  case story
  /// The Grain profile.
  case profile
  /// Everything that is read or done at the AppView.
  case appview

  /// What the feature needs at the account's own server.
  private var needs: [ScopeNeed] {
    switch self {
    case .publish:
      [
        .blob("image/*"), .record(CollectionNames.photo), .record(CollectionNames.gallery),
        .record(CollectionNames.galleryItem),
      ]
    case .exif: [.record(CollectionNames.photoEXIF)]
    case .edit:
      [
        .record(CollectionNames.gallery, .update), .record(CollectionNames.gallery, .delete),
        .record(CollectionNames.galleryItem, .delete), .record(CollectionNames.photo, .delete),
      ]
    case .crossPost: [.record(CollectionNames.blueskyPost)]
    case .comment: Self.toggling(CollectionNames.comment)
    case .favorite: Self.toggling(CollectionNames.favorite)
    case .follow: Self.toggling(CollectionNames.follow)
    case .block: Self.toggling(CollectionNames.block)
    case .story: [.blob("image/*")] + Self.toggling(CollectionNames.story)
    case .profile:
      [.record(CollectionNames.actorProfile), .record(CollectionNames.actorProfile, .update)]
    case .appview: []
    }
  }

  private static func toggling(_ collection: NSID) -> [ScopeNeed] {
    [.record(collection), .record(collection, .delete)]
  }

  /// The features that a grant without these scope items does not allow, in the order above.
  static func unavailable(without missing: [String]) -> [AccountFeature] {
    let missing = ScopeSet(missing.joined(separator: " "))
    let cannotCall = missing.permissions.contains { permission in
      if case .rpc = permission { return true }
      return false
    }
    return allCases.filter { feature in
      feature == .appview
        ? cannotCall : feature.needs.contains { missing.allows($0.operation) }
    }
  }
}

extension AccountRecord {
  /// What the account cannot do because its scope was not granted.
  package var unavailable: [AccountFeature] {
    AccountFeature.unavailable(without: missingScopes)
  }
}
