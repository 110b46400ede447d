import Foundation
package import PixivOAuth

extension CoreConfiguration {
  /// Whether the host application has brought what Pixiv's endpoints ask of a client.
  package var hasPixivClient: Bool {
    !pixivClientID.isEmpty && !pixivClientSecret.isEmpty && !pixivHashSalt.isEmpty
  }

  /// How Pixiv is spoken to; `nil` without the host application's values.
  package var pixiv: PixivConfiguration? {
    guard hasPixivClient else { return nil }
    var configuration = PixivConfiguration(
      clientID: pixivClientID, clientSecret: pixivClientSecret.secret,
      hashSalt: pixivHashSalt.secret, loginURL: pixivLoginBase.withoutSlash + "/web/v1/login",
      tokenURL: pixivTokenURL, apiBase: pixivAPIBase.withoutSlash)
    configuration?.userAgent = pixivUserAgent
    configuration?.acceptLanguage = pixivLanguage
    return configuration
  }
}

extension String {
  fileprivate var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
