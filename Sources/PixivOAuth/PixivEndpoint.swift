package import Foundation
import HTTPTransport
import StrictJSON

/// One call of the API, as data: where it goes and how its answer is read (X8).
package struct PixivEndpoint<Answer: Sendable>: Sendable {
  /// Below the API's base.
  let path: String
  let query: [(String, String)]
  /// A complete address instead, for a next page.
  let page: URL?
  let read: @Sendable (JSONValue) -> Answer?

  private init(
    path: String, query: [(String, String)] = [], page: URL? = nil,
    read: @escaping @Sendable (JSONValue) -> Answer?
  ) {
    self.path = path
    self.query = query
    self.page = page
    self.read = read
  }

  /// The address; a next page only on the API's own host, over the same scheme (FB-G3).
  func url(below base: URL) throws(PixivError) -> URL {
    if let page {
      guard Origin(page) == Origin(base), Origin(page) != nil, page.user == nil else {
        throw .foreignPage
      }
      return page
    }
    var components = URLComponents(
      url: base.appending(path: path), resolvingAgainstBaseURL: false)
    components?.percentEncodedQuery = query.isEmpty ? nil : FormURLEncoding.encodeText(query)
    guard let url = components?.url else { throw .foreignPage }
    return url
  }
}

extension PixivEndpoint<PixivUser> {
  /// Who somebody is.
  package static func userDetail(_ id: String) -> PixivEndpoint {
    PixivEndpoint(path: "v1/user/detail", query: [("user_id", id), ("filter", "for_ios")]) {
      PixivUser($0["user"])
    }
  }
}

extension PixivEndpoint<PixivIllustrationPage> {
  /// What somebody has published, newest first.
  package static func illustrations(of id: String) -> PixivEndpoint {
    PixivEndpoint(
      path: "v1/user/illusts", query: [("user_id", id), ("filter", "for_ios")],
      read: PixivIllustrationPage.init)
  }

  /// The page an earlier one named as its next.
  package static func page(_ next: URL) -> PixivEndpoint {
    PixivEndpoint(path: "", page: next, read: PixivIllustrationPage.init)
  }
}

/// Some of a person's works.
package struct PixivIllustrationPage: Equatable, Sendable {
  /// One work.
  package struct Illustration: Equatable, Sendable {
    /// Unique at the provider.
    package let id: String
    /// In the author's words.
    package let title: String
    /// How many pictures it has.
    package let pageCount: Int
    /// A small picture; needs ``PixivImage/referer``.
    package let preview: URL?
  }

  /// In the provider's order.
  package let illustrations: [Illustration]
  /// Where the next ones are; `nil` at the end.
  package let next: URL?

  init?(_ json: JSONValue) {
    guard let list = json["illusts"]?.arrayValue else { return nil }
    illustrations = list.compactMap { work in
      guard let id = work["id"]?.intValue.map(String.init) ?? work["id"]?.stringValue else {
        return nil
      }
      return Illustration(
        id: id, title: work["title"]?.stringValue ?? "",
        pageCount: work["page_count"]?.intValue ?? 1,
        preview: work["image_urls"]?["square_medium"]?.stringValue.flatMap(URL.init(string:)))
    }
    next = json["next_url"]?.stringValue.flatMap(URL.init(string:))
  }
}
