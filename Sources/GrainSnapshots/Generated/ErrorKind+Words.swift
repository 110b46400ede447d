// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

extension ErrorKind {
  /// JSON-RPC's own `message`: English for developers, without user data, never shown.
  package var summary: String {
    switch self {
    case .frameInvalidJSON: "the line is not JSON"
    case .frameInvalidUTF8: "the line is not UTF-8"
    case .frameTooLarge: "the message is over the size limit"
    case .frameTooDeep: "the message is nested too deeply"
    case .frameDuplicateKey: "an object has a member twice"
    case .rpcNotAnObject: "the message is not an object"
    case .rpcBatch: "batches are not supported"
    case .rpcBadID: "the id is not a small integer or short string"
    case .rpcDuplicateID: "a request with this id is in flight"
    case .rpcInvalidRequest: "the message is not a JSON-RPC 2.0 message"
    case .rpcUnknownMethod: "there is no such method"
    case .rpcInvalidParams: "the params do not fit the method"
    case .coreInternal: "internal fault"
    case .protocolUnsupportedVersion: "no protocol version in common"
    case .protocolNotInitialized: "initialize comes first"
    case .protocolAlreadyInitialized: "the session is initialized already"
    case .protocolShuttingDown: "the core is shutting down"
    case .protocolOverloaded: "too much unanswered work"
    case .protocolUnknownSubscription: "there is no such subscription"
    case .protocolUnknownModel: "there is no such model"
    case .protocolUnknownOperation: "there is no such operation"
    case .requestCancelled: "the request was cancelled"
    case .intentStale: "the state has moved on"
    case .intentNotAvailable: "intent not available"
    case .intentBusy: "other work holds this intent up"
    case .loginHandleInvalid: "handle is not a domain name"
    case .loginHandleNotFound: "handle does not resolve"
    case .loginIdentityUnreachable: "identity services did not answer"
    case .loginServerUnsupported: "server lacks what sign-in needs"
    case .loginDenied: "sign-in was denied in the browser"
    case .loginCallbackMismatch: "callback belongs to no running sign-in"
    case .loginExpired: "sign-in took too long"
    case .loginNoServer: "DID document names no PDS"
    case .loginClientUnavailable: "server cannot read the client document"
    case .loginIdentityMismatch: "another identity came back"
    case .loginProviderUnavailable: "provider cannot be used here"
    case .loginServerInvalid: "text is no address of a service"
    case .loginTokenInvalid: "token is none, or not known to its service"
    case .loginCodeSpent: "code was refused, or its answer was lost"
    case .accountUnknown: "no such account"
    case .accountSessionExpired: "the account's session has ended"
    case .accountScopeMissing: "the account did not grant this"
    case .galleryDraftUnknown: "no such draft"
    case .galleryNoPhotos: "the draft has no photos"
    case .galleryTitleMissing: "the draft has no title"
    case .galleryTitleTooLong: "the title is over the limit"
    case .galleryPhotoUnsupported: "not a picture kind that can be published"
    case .galleryPhotoTooLarge: "picture cannot be made small enough"
    case .galleryPhotoUnreadable: "picture file cannot be read"
    case .galleryTooManyPhotos: "the draft is full"
    case .galleryTextTooLong: "a text is over the limit"
    case .galleryUploadFailed: "an upload failed"
    case .galleryCommitFailed: "the commit failed"
    case .galleryCrossPostFailed: "the cross-post failed"
    case .galleryChangedElsewhere: "the gallery was changed elsewhere"
    case .galleryUnknown: "no such published gallery"
    case .networkOffline: "no network"
    case .networkTimeout: "no answer in time"
    case .networkTLS: "no trusted connection"
    case .serverError: "the server failed"
    case .serverRateLimited: "the server asks for a pause"
    case .serverBadResponse: "the server's answer makes no sense"
    case .storeLocked: "another core holds the account store"
    case .storeCorrupt: "the account store is damaged"
    case .storeFull: "the disk is full"
    case .storeUnwritable: "the data folder cannot be written"
    case .storeNewer: "the account store is from a newer core"
    case .keyringLocked: "the key store is locked"
    case .keyringUnavailable: "the key store is missing"
    case .effectUnsupported: "the shell cannot perform the effect"
    case .effectFailed: "the shell failed to perform the effect"
    case .effectDenied: "system policy forbids the effect"
    case .effectBusy: "another effect is open"
    }
  }

  /// The sentence for the person in English; `{name}` stands for a parameter of the message.
  ///
  /// Says what happened and what to do next. A place that knows more says more instead.
  package var fallbackTemplate: String {
    switch self {
    case .frameInvalidJSON:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .frameInvalidUTF8:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .frameTooLarge: "That was too much at once. Try it with less."
    case .frameTooDeep:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .frameDuplicateKey:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .rpcNotAnObject:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .rpcBatch:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .rpcBadID:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .rpcDuplicateID:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .rpcInvalidRequest:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .rpcUnknownMethod: "This part of the app needs a newer core. Update the app."
    case .rpcInvalidParams:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .coreInternal:
      "Something went wrong inside the app. Try again; if it stays, report incident {incident}."
    case .protocolUnsupportedVersion: "The app and its core do not fit together. Update the app."
    case .protocolNotInitialized:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .protocolAlreadyInitialized:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .protocolShuttingDown: "The app is closing. What you did last was not started."
    case .protocolOverloaded: "The app is busy. Try again in a moment."
    case .protocolUnknownSubscription:
      "The app and its core misunderstood each other. Restart the app; nothing saved is lost."
    case .protocolUnknownModel: "This part of the app needs a newer core. Update the app."
    case .protocolUnknownOperation: "That has ended already."
    case .requestCancelled: "That was cancelled."
    case .intentStale: "This changed in the meantime. Look again, then repeat it."
    case .intentNotAvailable: "That is not possible right now."
    case .intentBusy: "Something else is still running. Try again when it is done."
    case .loginHandleInvalid: "“{handle}” is not a full handle. Try {handle}.example.com."
    case .loginHandleNotFound: "No account answers to @{handle}. Check the spelling."
    case .loginIdentityUnreachable:
      "@{handle} could not be looked up. Check your connection and try again."
    case .loginServerUnsupported:
      "{host} does not offer the sign-in this app needs. Ask whoever runs it to update it."
    case .loginDenied: "Sign-in was cancelled in the browser. Try again when you are ready."
    case .loginCallbackMismatch:
      "The browser's answer does not belong to this sign-in. Start signing in again."
    case .loginExpired: "The sign-in page was open for too long. Start signing in again."
    case .loginNoServer: "@{handle} has no server at the moment, so nobody can sign in to it."
    case .loginClientUnavailable:
      "The server could not check this app yet. Try again in a few minutes."
    case .loginIdentityMismatch:
      "A different account came back than the one you asked for. Nothing was saved; start again."
    case .loginProviderUnavailable: "This way of signing in is not available here."
    case .loginServerInvalid: "“{host}” is not the address of a service. Try files.example.com."
    case .loginTokenInvalid:
      "What you pasted is not accepted. Make a new one at your service and paste all of it."
    case .loginCodeSpent:
      "The sign-in at {host} could not be finished. Nothing was saved; start again."
    case .accountUnknown: "That account is no longer in the list."
    case .accountSessionExpired: "Your session has ended. Sign in again to use {account}."
    case .accountScopeMissing: "{account} has not allowed this yet. Sign in again to allow it."
    case .galleryDraftUnknown: "That draft no longer exists."
    case .galleryNoPhotos: "Add at least one photo first."
    case .galleryTitleMissing: "Give the gallery a title first."
    case .galleryTitleTooLong: "The title is too long. Shorten it a little."
    case .galleryPhotoUnsupported:
      "{name} is not a kind of picture that can be published. Use a JPEG, PNG or WebP copy."
    case .galleryPhotoTooLarge:
      "{name} is too large and could not be made smaller. Choose a smaller copy."
    case .galleryPhotoUnreadable:
      "{name} could not be read. Check that the file is still there and opens."
    case .galleryTooManyPhotos:
      "A gallery holds at most {limit} photos. Remove some, or make a second gallery."
    case .galleryTextTooLong: "This text is too long. Shorten it a little."
    case .galleryUploadFailed: "Photo {number} could not be uploaded. Nothing was lost; try again."
    case .galleryCommitFailed: "The gallery could not be published. Nothing was lost; try again."
    case .galleryCrossPostFailed:
      "The gallery is published, but the post on Bluesky was not made. Try the post again."
    case .galleryChangedElsewhere:
      """
      This gallery was changed somewhere else meanwhile, so nothing was written. Discard this \
      draft and edit the gallery again.
      """
    case .galleryUnknown: "That gallery does not exist any more, or is not yours."
    case .networkOffline: "You are offline. Check your connection and try again."
    case .networkTimeout: "{host} took too long to answer. Try again."
    case .networkTLS:
      """
      The certificate of {host} cannot be trusted, so nothing was sent. Check this computer's \
      date and network; if they are right, {host} has to be mended by whoever runs it.
      """
    case .serverError: "{host} has a problem of its own. Try again later."
    case .serverRateLimited: "{host} asks for a pause. Try again a little later."
    case .serverBadResponse: "{host} gave an answer this app does not understand."
    case .storeLocked: "The app is already running. Close the other one, then try again."
    case .storeCorrupt:
      """
      Your accounts could not be read: the file is damaged. It was left as it is; see “grain-core \
      doctor”.
      """
    case .storeFull: "The disk is full. Free some space, then try again."
    case .storeUnwritable: "The app's data folder cannot be written to. Check its permissions."
    case .storeNewer: "Your data was written by a newer version of this app. Update the app."
    case .keyringLocked: "Your keyring is locked. Unlock it to reach your accounts."
    case .keyringUnavailable:
      "The keyring that protects your accounts cannot be reached on this computer."
    case .effectUnsupported: "This window cannot do that."
    case .effectFailed: "That did not work on this computer. Try again."
    case .effectDenied: "This computer's settings do not allow that."
    case .effectBusy: "Another window is waiting for you. Finish there first."
    }
  }
}
