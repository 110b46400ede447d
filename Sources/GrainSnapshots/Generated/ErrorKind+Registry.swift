// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

extension ErrorKind {
  /// The number of the error on the wire: JSON-RPC's own block is negative, ours is positive.
  package var code: Int {
    switch self {
    case .frameInvalidJSON: -32700
    case .frameInvalidUTF8: -32700
    case .frameTooLarge: -32600
    case .frameTooDeep: -32600
    case .frameDuplicateKey: -32600
    case .rpcNotAnObject: -32600
    case .rpcBatch: -32600
    case .rpcBadID: -32600
    case .rpcDuplicateID: -32600
    case .rpcInvalidRequest: -32600
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
    case .loginServerInvalid: 2015
    case .loginTokenInvalid: 2016
    case .loginCodeSpent: 2017
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
    case .galleryCrossPostFailed: 3012
    case .galleryChangedElsewhere: 3013
    case .galleryUnknown: 3014
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
      .loginDenied, .loginExpired, .loginClientUnavailable, .loginCodeSpent, .galleryUploadFailed,
      .galleryCommitFailed, .galleryCrossPostFailed, .networkOffline, .networkTimeout, .serverError,
      .serverRateLimited, .storeLocked, .keyringLocked, .effectFailed, .effectBusy:
      true
    default: false
    }
  }

  /// The name of the sentence that tells the person, in the shell's catalogue.
  package var messageKey: String {
    switch self {
    case .intentNotAvailable: "error.notAvailable"
    default: rawValue
    }
  }
}
