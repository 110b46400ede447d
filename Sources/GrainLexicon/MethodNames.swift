package import ATSyntax

/// The methods this core calls, in one table, so that a later rename is one edit (G99).
package enum MethodNames {
  // MARK: The repository, at the account's own server.
  /// `repo, collection, rkey?, record` → `uri, cid, commit?`.
  package static let createRecord = NSID(constant: "com.atproto.repo.createRecord")
  /// `repo, collection, rkey, record` → `uri, cid, commit?`; needs create and update.
  package static let putRecord = NSID(constant: "com.atproto.repo.putRecord")
  /// `repo, collection, rkey` → `commit?`; a missing record is success.
  package static let deleteRecord = NSID(constant: "com.atproto.repo.deleteRecord")
  /// `repo, writes` → `commit, results`; all or nothing.
  package static let applyWrites = NSID(constant: "com.atproto.repo.applyWrites")
  /// Raw bytes → `blob`.
  package static let uploadBlob = NSID(constant: "com.atproto.repo.uploadBlob")
  /// `repo, collection, rkey` → `uri, cid, value`; 400 `RecordNotFound`.
  package static let getRepoRecord = NSID(constant: "com.atproto.repo.getRecord")
  /// `repo, collection, limit, cursor` → `records, cursor`.
  package static let listRecords = NSID(constant: "com.atproto.repo.listRecords")
  /// `did` → `cid, rev`.
  package static let getLatestCommit = NSID(constant: "com.atproto.sync.getLatestCommit")
  /// `did, cid` → the bytes of a referenced blob.
  package static let getBlob = NSID(constant: "com.atproto.sync.getBlob")
  /// What the server offers; no token needed.
  package static let describeServer = NSID(constant: "com.atproto.server.describeServer")
  /// Who the token is for, and whether the account is active.
  package static let getSession = NSID(constant: "com.atproto.server.getSession")
  /// `handle` → `did`, unverified.
  package static let resolveHandle = NSID(constant: "com.atproto.identity.resolveHandle")

  // MARK: The AppView's indexer.
  /// `uris` (at most ``indexBatch``), for deletes too → nothing.
  package static let indexRecords = NSID(constant: "social.grain.sync.indexRecords")

  // MARK: Reads through the proxy.
  /// `feed, limit, cursor`, and what the feed needs → `items, cursor`.
  package static let getFeed = NSID(constant: "dev.hatk.getFeed")
  /// `uri` → `record`.
  package static let getRecord = NSID(constant: "dev.hatk.getRecord")
  /// → `preferences`.
  package static let getPreferences = NSID(constant: "dev.hatk.getPreferences")
  /// → `definitions`.
  package static let describeLabels = NSID(constant: "dev.hatk.describeLabels")
  /// `gallery` → `gallery`.
  package static let getGallery = NSID(constant: "social.grain.unspecced.getGallery")
  /// `subject, limit, cursor` → `comments` oldest first, `cursor, totalCount`.
  package static let getCommentThread = NSID(constant: "social.grain.unspecced.getCommentThread")
  /// `gallery, limit, cursor` → `items, cursor, totalCount`.
  package static let getGalleryFavorites = NSID(
    constant: "social.grain.unspecced.getGalleryFavorites")
  /// `actor` → the detailed profile itself.
  package static let getActorProfile = NSID(constant: "social.grain.unspecced.getActorProfile")
  /// `actor` (me), `limit, cursor` → `items, cursor`.
  package static let getActorFavorites = NSID(constant: "social.grain.unspecced.getActorFavorites")
  /// `actor, limit, cursor` → `items, cursor, totalCount`.
  package static let getFollowers = NSID(constant: "social.grain.unspecced.getFollowers")
  /// `actor, limit, cursor` → `items, cursor, totalCount`.
  package static let getFollowing = NSID(constant: "social.grain.unspecced.getFollowing")
  /// `actor, viewer` → `items`.
  package static let getKnownFollowers = NSID(constant: "social.grain.unspecced.getKnownFollowers")
  /// `actor, limit` → `items`.
  package static let getSuggestedFollows = NSID(
    constant: "social.grain.unspecced.getSuggestedFollows")
  /// `limit, cursor` → `items, cursor`.
  package static let getBlocks = NSID(constant: "social.grain.unspecced.getBlocks")
  /// `limit, cursor` → `items, cursor`.
  package static let getMutes = NSID(constant: "social.grain.unspecced.getMutes")
  /// `limit, cursor, countOnly` → `notifications, cursor, unseenCount`.
  package static let getNotifications = NSID(constant: "social.grain.unspecced.getNotifications")
  /// `actor` → `stories` still active, oldest first.
  package static let getStories = NSID(constant: "social.grain.unspecced.getStories")
  /// `story` → `story?`.
  package static let getStory = NSID(constant: "social.grain.unspecced.getStory")
  /// `actor, limit, cursor` → `stories` newest first, `cursor`.
  package static let getStoryArchive = NSID(constant: "social.grain.unspecced.getStoryArchive")
  /// → `authors` with `storyCount, latestAt`.
  package static let getStoryAuthors = NSID(constant: "social.grain.unspecced.getStoryAuthors")
  /// → `cameras` with `photoCount`.
  package static let getCameras = NSID(constant: "social.grain.unspecced.getCameras")
  /// → `locations`, the thirty with most galleries.
  package static let getLocations = NSID(constant: "social.grain.unspecced.getLocations")
  /// `q, limit, cursor, fuzzy` → `items, cursor`.
  package static let searchGalleries = NSID(constant: "social.grain.unspecced.searchGalleries")
  /// `q, limit, cursor, fuzzy` → `items, cursor`.
  package static let searchProfiles = NSID(constant: "social.grain.unspecced.searchProfiles")
  /// `q, limit` → `actors`.
  package static let searchActorsTypeahead = NSID(
    constant: "social.grain.unspecced.searchActorsTypeahead")

  // MARK: Other procedures through the proxy.
  /// `key, value` → nothing.
  package static let putPreference = NSID(constant: "dev.hatk.putPreference")
  /// `subject, label, reason` → the report.
  package static let createReport = NSID(constant: "dev.hatk.createReport")
  /// `token, platform` → nothing.
  package static let registerPushToken = NSID(constant: "dev.hatk.push.registerToken")
  /// `token` → nothing.
  package static let unregisterPushToken = NSID(constant: "dev.hatk.push.unregisterToken")
  /// `rkey` → nothing; photos, items and EXIF go too.
  package static let deleteGallery = NSID(constant: "social.grain.unspecced.deleteGallery")
  /// → nothing; everything of the caller's on Grain goes.
  package static let deleteAccount = NSID(constant: "social.grain.unspecced.deleteAccount")
  /// `actor` → nothing.
  package static let muteActor = NSID(constant: "social.grain.graph.muteActor")
  /// `actor` → nothing.
  package static let unmuteActor = NSID(constant: "social.grain.graph.unmuteActor")

  /// The most URIs one ``indexRecords`` call may carry (grain-product §1).
  package static let indexBatch = 25
}
