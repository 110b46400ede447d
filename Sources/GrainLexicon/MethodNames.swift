package import ATSyntax

/// The methods this core calls, in one table, so that a later rename is one edit (G99).
package enum MethodNames {
  // MARK: The repository, at the account's own server.
  package static let createRecord = NSID(constant: "com.atproto.repo.createRecord")
  package static let putRecord = NSID(constant: "com.atproto.repo.putRecord")
  package static let deleteRecord = NSID(constant: "com.atproto.repo.deleteRecord")
  package static let applyWrites = NSID(constant: "com.atproto.repo.applyWrites")
  package static let uploadBlob = NSID(constant: "com.atproto.repo.uploadBlob")
  package static let getRepoRecord = NSID(constant: "com.atproto.repo.getRecord")
  package static let listRecords = NSID(constant: "com.atproto.repo.listRecords")
  package static let getBlob = NSID(constant: "com.atproto.sync.getBlob")
  package static let describeServer = NSID(constant: "com.atproto.server.describeServer")
  package static let getSession = NSID(constant: "com.atproto.server.getSession")
  package static let resolveHandle = NSID(constant: "com.atproto.identity.resolveHandle")

  // MARK: The AppView's indexer.
  package static let indexRecords = NSID(constant: "social.grain.sync.indexRecords")

  // MARK: Reads through the proxy.
  package static let getFeed = NSID(constant: "dev.hatk.getFeed")
  package static let getRecord = NSID(constant: "dev.hatk.getRecord")
  package static let getPreferences = NSID(constant: "dev.hatk.getPreferences")
  package static let describeLabels = NSID(constant: "dev.hatk.describeLabels")
  package static let getGallery = NSID(constant: "social.grain.unspecced.getGallery")
  package static let getCommentThread = NSID(constant: "social.grain.unspecced.getCommentThread")
  package static let getGalleryFavorites = NSID(
    constant: "social.grain.unspecced.getGalleryFavorites")
  package static let getActorProfile = NSID(constant: "social.grain.unspecced.getActorProfile")
  package static let getActorFavorites = NSID(constant: "social.grain.unspecced.getActorFavorites")
  package static let getFollowers = NSID(constant: "social.grain.unspecced.getFollowers")
  package static let getFollowing = NSID(constant: "social.grain.unspecced.getFollowing")
  package static let getKnownFollowers = NSID(constant: "social.grain.unspecced.getKnownFollowers")
  package static let getSuggestedFollows = NSID(
    constant: "social.grain.unspecced.getSuggestedFollows")
  package static let getBlocks = NSID(constant: "social.grain.unspecced.getBlocks")
  package static let getMutes = NSID(constant: "social.grain.unspecced.getMutes")
  package static let getNotifications = NSID(constant: "social.grain.unspecced.getNotifications")
  package static let getStories = NSID(constant: "social.grain.unspecced.getStories")
  package static let getStory = NSID(constant: "social.grain.unspecced.getStory")
  package static let getStoryArchive = NSID(constant: "social.grain.unspecced.getStoryArchive")
  package static let getStoryAuthors = NSID(constant: "social.grain.unspecced.getStoryAuthors")
  package static let getCameras = NSID(constant: "social.grain.unspecced.getCameras")
  package static let getLocations = NSID(constant: "social.grain.unspecced.getLocations")
  package static let searchGalleries = NSID(constant: "social.grain.unspecced.searchGalleries")
  package static let searchProfiles = NSID(constant: "social.grain.unspecced.searchProfiles")
  package static let searchActorsTypeahead = NSID(
    constant: "social.grain.unspecced.searchActorsTypeahead")

  // MARK: Other procedures through the proxy.
  package static let putPreference = NSID(constant: "dev.hatk.putPreference")
  package static let createReport = NSID(constant: "dev.hatk.createReport")
  package static let registerPushToken = NSID(constant: "dev.hatk.push.registerToken")
  package static let unregisterPushToken = NSID(constant: "dev.hatk.push.unregisterToken")
  package static let deleteGallery = NSID(constant: "social.grain.unspecced.deleteGallery")
  package static let deleteAccount = NSID(constant: "social.grain.unspecced.deleteAccount")
  package static let muteActor = NSID(constant: "social.grain.graph.muteActor")
  package static let unmuteActor = NSID(constant: "social.grain.graph.unmuteActor")

  /// The most URIs one ``indexRecords`` call may carry (grain-product §1).
  package static let indexBatch = 25
}
