// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// Every failure the bridge can tell of (bridge-protocol §7).
///
/// The raw value is what programs switch on; kinds and codes are never reused or renumbered.
package enum ErrorKind: String, Codable, CaseIterable, Sendable {
  // MARK: frame
  /// The line is not JSON.
  case frameInvalidJSON = "frame.invalidJson"
  /// The line is not UTF-8.
  case frameInvalidUTF8 = "frame.invalidUtf8"
  /// The message is over the size limit.
  case frameTooLarge = "frame.tooLarge"
  /// The message is nested too deeply.
  case frameTooDeep = "frame.tooDeep"
  /// An object has a member twice.
  case frameDuplicateKey = "frame.duplicateKey"

  // MARK: rpc
  /// The message is not an object.
  case rpcNotAnObject = "rpc.notAnObject"
  /// Batches are not supported.
  case rpcBatch = "rpc.batch"
  /// The id is not a small integer or short string.
  case rpcBadID = "rpc.badId"
  /// A request with this id is in flight.
  case rpcDuplicateID = "rpc.duplicateId"
  /// The message is not a JSON-RPC 2.0 message.
  case rpcInvalidRequest = "rpc.invalidRequest"
  /// There is no such method.
  case rpcUnknownMethod = "rpc.unknownMethod"
  /// The params do not fit the method.
  case rpcInvalidParams = "rpc.invalidParams"

  // MARK: core
  /// Internal fault.
  case coreInternal = "core.internal"

  // MARK: protocol
  /// No protocol version in common.
  case protocolUnsupportedVersion = "protocol.unsupportedVersion"
  /// Initialize comes first.
  case protocolNotInitialized = "protocol.notInitialized"
  /// The session is initialized already.
  case protocolAlreadyInitialized = "protocol.alreadyInitialized"
  /// The core is shutting down.
  case protocolShuttingDown = "protocol.shuttingDown"
  /// Too much unanswered work.
  case protocolOverloaded = "protocol.overloaded"
  /// There is no such subscription.
  case protocolUnknownSubscription = "protocol.unknownSubscription"
  /// There is no such model.
  case protocolUnknownModel = "protocol.unknownModel"
  /// There is no such operation.
  case protocolUnknownOperation = "protocol.unknownOperation"

  // MARK: request
  /// The request was cancelled.
  case requestCancelled = "request.cancelled"

  // MARK: intent
  /// The state has moved on.
  case intentStale = "intent.stale"
  /// Intent not available.
  case intentNotAvailable = "intent.notAvailable"
  /// Other work holds this intent up.
  case intentBusy = "intent.busy"

  // MARK: login
  /// Handle is not a domain name.
  case loginHandleInvalid = "login.handleInvalid"
  /// Handle does not resolve.
  case loginHandleNotFound = "login.handleNotFound"
  /// Identity services did not answer.
  case loginIdentityUnreachable = "login.identityUnreachable"
  /// Server lacks what sign-in needs.
  case loginServerUnsupported = "login.serverUnsupported"
  /// Sign-in was denied in the browser.
  case loginDenied = "login.denied"
  /// Callback belongs to no running sign-in.
  case loginCallbackMismatch = "login.callbackMismatch"
  /// Sign-in took too long.
  case loginExpired = "login.expired"
  /// DID document names no PDS.
  case loginNoServer = "login.noServer"
  /// Server cannot read the client document.
  case loginClientUnavailable = "login.clientUnavailable"
  /// Another identity came back.
  case loginIdentityMismatch = "login.identityMismatch"
  /// Provider cannot be used here.
  case loginProviderUnavailable = "login.providerUnavailable"
  /// Text is no address of a service.
  case loginServerInvalid = "login.serverInvalid"
  /// Token is none, or not known to its service.
  case loginTokenInvalid = "login.tokenInvalid"
  /// Code was refused, or its answer was lost.
  case loginCodeSpent = "login.codeSpent"

  // MARK: account
  /// No such account.
  case accountUnknown = "account.unknown"
  /// The account's session has ended.
  case accountSessionExpired = "account.sessionExpired"
  /// The account did not grant this.
  case accountScopeMissing = "account.scopeMissing"

  // MARK: gallery
  /// No such draft.
  case galleryDraftUnknown = "gallery.draftUnknown"
  /// The draft has no photos.
  case galleryNoPhotos = "gallery.noPhotos"
  /// The draft has no title.
  case galleryTitleMissing = "gallery.titleMissing"
  /// The title is over the limit.
  case galleryTitleTooLong = "gallery.titleTooLong"
  /// Not a picture kind that can be published.
  case galleryPhotoUnsupported = "gallery.photoUnsupported"
  /// Picture cannot be made small enough.
  case galleryPhotoTooLarge = "gallery.photoTooLarge"
  /// Picture file cannot be read.
  case galleryPhotoUnreadable = "gallery.photoUnreadable"
  /// The draft is full.
  case galleryTooManyPhotos = "gallery.tooManyPhotos"
  /// A text is over the limit.
  case galleryTextTooLong = "gallery.textTooLong"
  /// An upload failed.
  case galleryUploadFailed = "gallery.uploadFailed"
  /// The commit failed.
  case galleryCommitFailed = "gallery.commitFailed"
  /// The cross-post failed.
  case galleryCrossPostFailed = "gallery.crossPostFailed"
  /// The gallery was changed elsewhere.
  case galleryChangedElsewhere = "gallery.changedElsewhere"
  /// No such published gallery.
  case galleryUnknown = "gallery.unknown"

  // MARK: network
  /// No network.
  case networkOffline = "network.offline"
  /// No answer in time.
  case networkTimeout = "network.timeout"
  /// No trusted connection.
  case networkTLS = "network.tls"

  // MARK: server
  /// The server failed.
  case serverError = "server.error"
  /// The server asks for a pause.
  case serverRateLimited = "server.rateLimited"
  /// The server's answer makes no sense.
  case serverBadResponse = "server.badResponse"

  // MARK: store
  /// Another core holds the account store.
  case storeLocked = "store.locked"
  /// The account store is damaged.
  case storeCorrupt = "store.corrupt"
  /// The disk is full.
  case storeFull = "store.full"
  /// The data folder cannot be written.
  case storeUnwritable = "store.unwritable"
  /// The account store is from a newer core.
  case storeNewer = "store.newer"

  // MARK: keyring
  /// The key store is locked.
  case keyringLocked = "keyring.locked"
  /// The key store is missing.
  case keyringUnavailable = "keyring.unavailable"

  // MARK: effect
  /// The shell cannot perform the effect.
  case effectUnsupported = "effect.unsupported"
  /// The shell failed to perform the effect.
  case effectFailed = "effect.failed"
  /// System policy forbids the effect.
  case effectDenied = "effect.denied"
  /// Another effect is open.
  case effectBusy = "effect.busy"
}
