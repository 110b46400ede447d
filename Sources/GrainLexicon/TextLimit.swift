/// How long a text member may be: lexicons count UTF-8 bytes (`maxLength`) and extended grapheme
/// clusters (`maxGraphemes`), and both bind (grain-product §9).
package struct TextLimit: Hashable, Sendable {
  /// The most bytes of UTF-8.
  package let bytes: Int
  /// The most characters as a person counts them; `nil` where the lexicon sets none.
  package let graphemes: Int?

  /// Both limits bind where both are given.
  package init(bytes: Int, graphemes: Int? = nil) {
    self.bytes = bytes
    self.graphemes = graphemes
  }

  /// Why `text` is too long, or `nil` when it fits.
  package func excess(of text: String) -> LexiconViolation.Reason? {
    if let graphemes, text.count > graphemes {
      return .tooManyGraphemes(text.count, maximum: graphemes)
    }
    return text.utf8.count > bytes ? .tooManyBytes(text.utf8.count, maximum: bytes) : nil
  }

  /// Whether `text` fits both limits.
  package func admits(_ text: String) -> Bool { excess(of: text) == nil }
}

extension TextLimit {
  /// `social.grain.gallery` title.
  package static let galleryTitle = TextLimit(bytes: 100)
  /// `social.grain.gallery` description.
  package static let galleryDescription = TextLimit(bytes: 1000)
  /// `social.grain.comment` text.
  package static let comment = TextLimit(bytes: 3000, graphemes: 300)
  /// `social.grain.actor.profile` displayName.
  package static let displayName = TextLimit(bytes: 640, graphemes: 64)
  /// `social.grain.actor.profile` description.
  package static let profileDescription = TextLimit(bytes: 2560, graphemes: 256)
  /// `app.bsky.feed.post` text.
  package static let post = TextLimit(bytes: 3000, graphemes: 300)
  /// One tag of a post or a facet.
  package static let tag = TextLimit(bytes: 640, graphemes: 64)
  /// Why something is reported.
  package static let reportReason = TextLimit(bytes: 2000)
}

/// The largest blob a record may reference, in bytes, and its kinds (grain-product §9).
package struct BlobLimit: Hashable, Sendable {
  /// The most bytes.
  package let bytes: Int
  /// Media types; `image/*` covers a whole family.
  package let accepts: [String]

  /// `social.grain.photo` photo.
  package static let photo = BlobLimit(bytes: 1_000_000, accepts: ["image/*"])
  /// `social.grain.story` media.
  package static let story = BlobLimit(bytes: 5_000_000, accepts: ["image/*", "video/*"])
  /// `social.grain.actor.profile` avatar.
  package static let avatar = BlobLimit(bytes: 1_000_000, accepts: ["image/png", "image/jpeg"])

  /// Why a record of this limit may not reference `blob`, or `nil` when it may.
  package func excess(of blob: BlobReference) -> LexiconViolation.Reason? {
    let accepted = accepts.contains { accept in
      accept.hasSuffix("/*") ? blob.mimeType.hasPrefix(accept.dropLast()) : accept == blob.mimeType
    }
    guard accepted else { return .mediaType(blob.mimeType) }
    return blob.size > bytes ? .tooManyBytes(blob.size, maximum: bytes) : nil
  }
}

/// One member of a record that its lexicon would refuse.
package struct LexiconViolation: Error, Hashable, Sendable {
  /// What is wrong; counts are of the value found and of the most that is allowed.
  package enum Reason: Hashable, Sendable {
    case empty
    case tooManyBytes(Int, maximum: Int)
    case tooManyGraphemes(Int, maximum: Int)
    case tooManyItems(Int, maximum: Int)
    case outOfRange(Int)
    case mediaType(String)
  }

  /// The member's name in the record.
  package let member: String
  /// What is wrong with it.
  package let reason: Reason

  /// Names a member and what is wrong with it.
  package init(_ member: String, _ reason: Reason) {
    self.member = member
    self.reason = reason
  }
}
