package import ATSyntax
import Foundation
package import GrainLexicon

/// A gallery before it is published: everything the person chose, and how far sending has come.
///
/// One draft belongs to one account for its whole life; drafts of others stay hidden. Source:
/// grain-product §12.
package struct Draft: Codable, Equatable, Sendable {
  /// The form in which drafts are written. A core leaves a draft of a higher one alone: it would lose
  /// what it does not know.
  package static let format = 1

  private var format: Int? = Draft.format
  /// Names the draft and its folder; 16 letters and digits.
  package let id: String
  /// The account whose repository the gallery goes to.
  package let repo: DID
  /// Frozen when the draft is made; `createdAt` of every record (FB-D14).
  package let createdAt: ATDateTime
  /// The last change; a draft expires seven days later.
  package var updatedAt: ATDateTime
  /// When it expires, if that is later (``isOver(at:after:lastLook:)``).
  package internal(set) var keptUntil: ATDateTime?
  /// Rises with every change; of two copies of a draft the higher one is the newer.
  package var revision = 0
  /// As typed; trimmed when it is published.
  package var title = ""
  package var description = ""
  /// Self-labels from the list of grain-product §9.
  package var labels: [String] = []
  /// Where the pictures were taken, only when the person chose it.
  package var location: GridLocation?
  /// The same place in words.
  package var address: PostalAddress?
  /// Whether camera data go into records of their own; positions never do.
  package var includeExif = true
  /// Whether a Bluesky post is wanted as well.
  package var crossPost = false
  /// Photographs by id.
  package var photos: [String: DraftPhoto] = [:]
  /// The order the person sees.
  package var photoOrder: [String] = []
  /// The published gallery this draft changes; absent for a new one.
  package var published: PublishedGallery?
  /// The published gallery that is still being read into this draft.
  package var opening: RecordKey?
  /// The keys and progress of sending; absent until the person first pressed publish.
  package var sending: Sending?

  /// An empty draft.
  package init(id: String, repo: DID, createdAt: ATDateTime) {
    self.id = id
    self.repo = repo
    self.createdAt = createdAt
    self.updatedAt = createdAt
  }

  /// Applies an edit and stamps it: the only way a stored draft changes.
  package mutating func change(at time: ATDateTime, _ edit: (inout Draft) -> Void) {
    let last = revision
    edit(&self)
    updatedAt = time
    keptUntil = nil
    revision = last + 1
  }

  /// Whether a publish was begun and is to be continued: neither finished nor set aside.
  package var isInterrupted: Bool { sending.map { !$0.isSetAside } ?? false }

  /// The photographs in the person's order.
  package var orderedPhotos: [DraftPhoto] { photoOrder.compactMap { photos[$0] } }

  /// Record keys and progress that survive a crash.
  package struct Sending: Codable, Equatable, Sendable {
    /// The gallery's record key: the same for every attempt, so it exists at most once (FB-D10).
    package let galleryKey: RecordKey
    /// Keys of each photograph's records, by photo id.
    package let photoKeys: [String: PhotoKeys]
    /// Commits that were sent and may have landed; while there is one, the PDS is asked before the
    /// next (G108), and the draft stays as it was sent.
    package var unansweredCommits = 0
    /// The records are in the repository.
    package var committed = false
    /// The AppView has been told, as far as it would listen.
    package var indexed = false
    /// The accounts behind the handles that the texts mention; `nil` until they were looked up. A repeat
    /// writes the same records, so they are looked up once (FB-D4).
    package var mentions: [String: DID]?
    /// The record key of the Bluesky post: at most one post exists (FB-D11).
    package let postKey: RecordKey?
    /// How far the post has come; `nil` until its turn.
    package var post: Post?
    /// `updatedAt` of a published gallery that is changed: the same for every attempt, so that what landed
    /// is known by it.
    package let editedAt: ATDateTime?
    private var setAside: Bool?

    /// The person has stopped it: it is not continued until it is told to.
    package var isSetAside: Bool {
      get { setAside ?? false }
      set { setAside = newValue ? true : nil }
    }

    /// Keys of a draft that was not sent yet.
    package init(
      galleryKey: RecordKey, photoKeys: [String: PhotoKeys], postKey: RecordKey? = nil,
      editedAt: ATDateTime? = nil
    ) {
      self.galleryKey = galleryKey
      self.photoKeys = photoKeys
      self.postKey = postKey
      self.editedAt = editedAt
    }
  }

  /// The progress of the Bluesky post.
  package struct Post: Codable, Equatable, Sendable {
    /// Requests that were sent and may have landed; while there is one, the PDS is asked before the
    /// next.
    package var unanswered = 0
    /// The post is in the repository.
    package var posted = false

    /// A post whose turn has come.
    package init() {}
  }

  /// Whether the gallery is up and its post is not.
  package var owesPost: Bool {
    crossPost && sending?.committed == true && sending?.post?.posted != true
  }

  /// The record keys of one photograph.
  package struct PhotoKeys: Codable, Equatable, Sendable {
    /// Of the `social.grain.photo` record.
    package let photo: RecordKey
    /// Of the `social.grain.photo.exif` record.
    package let exif: RecordKey
    /// Of the `social.grain.gallery.item` record.
    package let item: RecordKey

    /// The keys of one photograph.
    package init(photo: RecordKey, exif: RecordKey, item: RecordKey) {
      self.photo = photo
      self.exif = exif
      self.item = item
    }
  }
}

/// Why a picture cannot be published.
package enum PhotoFailure: Codable, Equatable, Sendable {
  /// The file is missing or cannot be read.
  case unreadable
  /// The bytes are no picture; what they look like instead, when known.
  case notAPicture(found: String?)
  /// A picture or film of a kind that is never published.
  case unsupported(kind: String)
  /// A picture that must be converted first (HEIF, TIFF, …), and no image tool is installed.
  case conversionWithoutTool(kind: String)
  /// The picture is damaged.
  case damaged
  /// Over the limits, and no image tool is installed.
  case tooLarge(bytes: Int, width: Int, height: Int)
  /// The file is larger than anything that is looked at, in bytes.
  case sourceTooLarge(limit: Int)
  /// The image tool that was tried last, and what it said.
  case toolFailed(tool: String, detail: String)
}
