package import Foundation
import HTTPTransport
import StrictJSON

/// Who is signed in. The mail address is not kept.
package struct PixivUser: Equatable, Sendable {
  /// Text in one answer, a number in another; always text here.
  package let id: String
  /// What the person calls themselves.
  package let name: String
  /// The name in addresses, without `@`.
  package let account: String
  /// A picture of 170 × 170 or the next smaller one; needs ``PixivImage/referer``.
  package let avatar: URL?

  /// A person by their parts.
  package init(id: String, name: String, account: String, avatar: URL? = nil) {
    self.id = id
    self.name = name
    self.account = account
    self.avatar = avatar
  }

  /// Reads `user` of a token answer or of `user/detail`.
  init?(_ json: JSONValue?) {
    guard
      let json, let id = json["id"]?.stringValue ?? json["id"]?.intValue.map(String.init),
      (1...200).contains(id.utf8.count), let name = json["name"]?.stringValue,
      let account = json["account"]?.stringValue
    else { return nil }
    let pictures = json["profile_image_urls"]
    let picture = ["px_170x170", "px_50x50", "px_16x16", "medium"].lazy
      .compactMap { pictures?[$0]?.stringValue }.first
    self.init(
      id: id, name: ServerText.name(name), account: ServerText.name(account),
      avatar: picture.flatMap(URL.init(string:)))
  }
}

/// What pictures on Pixiv's image hosts need.
package enum PixivImage {
  /// The `Referer` without which `i.pximg.net` answers 403.
  package static let referer = "https://app-api.pixiv.net/"

  /// The fields for a picture's request; empty for a picture of anybody else's host.
  package static func headers(for url: URL) -> [String: String] {
    guard let host = url.host()?.lowercased(), url.scheme == "https" else { return [:] }
    return host == "pximg.net" || host.hasSuffix(".pximg.net") ? ["Referer": referer] : [:]
  }
}
