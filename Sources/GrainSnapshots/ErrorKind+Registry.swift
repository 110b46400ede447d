extension ErrorKind {
  /// The number of the error on the wire: JSON-RPC's own block is negative, ours is positive.
  package var code: Int {
    switch self {
    case .frameInvalidJSON, .frameInvalidUTF8: -32700
    case .frameTooLarge, .frameTooDeep, .frameDuplicateKey, .rpcNotAnObject, .rpcBatch, .rpcBadID,
      .rpcDuplicateID, .rpcInvalidRequest:
      -32600
    case .rpcUnknownMethod: -32601
    case .rpcInvalidParams: -32602
    case .coreInternal: -32603
    case .protocolUnsupportedVersion: -32001
    case .protocolNotInitialized: -32002
    case .protocolAlreadyInitialized: -32003
    case .protocolShuttingDown: -32004
    case .protocolOverloaded: -32005
    case .protocolUnknownSubscription: -32006
    case .protocolUnknownModel: -32007
    case .protocolUnknownOperation: -32008
    case .requestCancelled: -32800
    case .intentStale: -32801
    case .intentNotAvailable: 1001
    case .intentBusy: 1002
    case .loginHandleInvalid: 2001
    case .loginHandleNotFound: 2002
    case .loginIdentityUnreachable: 2003
    case .loginServerUnsupported: 2004
    case .loginDenied: 2005
    case .loginCallbackMismatch: 2006
    case .loginExpired: 2007
    case .loginNoServer: 2008
    case .loginClientUnavailable: 2009
    case .loginIdentityMismatch: 2013
    case .loginProviderUnavailable: 2014
    case .accountUnknown: 2010
    case .accountSessionExpired: 2011
    case .accountScopeMissing: 2012
    case .galleryDraftUnknown: 3001
    case .galleryNoPhotos: 3002
    case .galleryTitleMissing: 3003
    case .galleryTitleTooLong: 3004
    case .galleryPhotoUnsupported: 3005
    case .galleryPhotoTooLarge: 3006
    case .galleryPhotoUnreadable: 3007
    case .galleryTooManyPhotos: 3008
    case .galleryTextTooLong: 3009
    case .galleryUploadFailed: 3010
    case .galleryCommitFailed: 3011
    case .networkOffline: 4001
    case .networkTimeout: 4002
    case .networkTLS: 4003
    case .serverError: 4010
    case .serverRateLimited: 4011
    case .serverBadResponse: 4012
    case .storeLocked: 5001
    case .storeCorrupt: 5002
    case .storeFull: 5003
    case .storeUnwritable: 5006
    case .storeNewer: 5007
    case .keyringLocked: 5004
    case .keyringUnavailable: 5005
    case .effectUnsupported: 6001
    case .effectFailed: 6002
    case .effectDenied: 6003
    case .effectBusy: 6004
    }
  }

  /// Whether the same call may succeed later without changes.
  package var isRetryable: Bool {
    switch self {
    case .coreInternal, .protocolOverloaded, .intentStale, .intentBusy, .loginIdentityUnreachable,
      .loginDenied, .loginExpired, .loginClientUnavailable, .galleryUploadFailed,
      .galleryCommitFailed, .networkOffline, .networkTimeout, .serverError, .serverRateLimited,
      .storeLocked, .keyringLocked, .effectFailed, .effectBusy:
      true
    default: false
    }
  }

  /// The name of the sentence that tells the person, in the shell's catalogue.
  package var messageKey: String {
    self == .intentNotAvailable ? "error.notAvailable" : rawValue
  }

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
}
