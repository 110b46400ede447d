import Foundation
import FoundationNetworking

extension HTTPError {
  /// What an error of the session means.
  ///
  /// A certificate failure has the code "unknown" on Linux and shows only in libcurl's own words:
  /// unknown is therefore never taken for a passing fault.
  init(_ error: any Error, host: String) {
    let error = error as NSError
    let words = Self.words(of: error)
    guard error.domain == NSURLErrorDomain else {
      self = error is CancellationError ? .cancelled : .badResponse(words)
      return
    }
    switch error.code {
    case NSURLErrorTimedOut: self = .timeout
    case NSURLErrorCancelled: self = .cancelled
    case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: self = .cannotFindHost(host)
    case NSURLErrorCannotConnectToHost:
      self = HostLookup.hasNetwork() || host.isLoopbackName ? .cannotConnect(host) : .offline
    case NSURLErrorNotConnectedToInternet: self = .offline
    // "Bad server response" is what an empty reply becomes; of one cut short only words tell.
    case NSURLErrorNetworkConnectionLost, NSURLErrorBadServerResponse: self = .connectionLost
    case NSURLErrorUnknown where words.contains("transfer closed"): self = .connectionLost
    case NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate,
      NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
      NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected,
      NSURLErrorClientCertificateRequired:
      self = .tls(words)
    default: self = Self.soundsLikeTLS(words) ? .tls(words) : .badResponse(words)
    }
  }

  private static func soundsLikeTLS(_ words: String) -> Bool {
    let words = words.lowercased()
    return ["ssl", "tls", "certificate"].contains { words.contains($0) }
  }

  /// The description nearest to the cause.
  private static func words(of error: NSError) -> String {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    return cause.userInfo[NSLocalizedDescriptionKey] as? String ?? "code \(error.code)"
  }
}

extension String {
  fileprivate var isLoopbackName: Bool {
    self == "localhost" || IPAddress(self)?.isLoopback == true
  }
}
