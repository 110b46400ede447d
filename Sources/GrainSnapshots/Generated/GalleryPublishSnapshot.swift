// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// One draft, from the first photo to the published gallery (bridge-protocol §4.1, model
/// `galleryPublish`).
package struct GalleryPublishSnapshot: ModelSnapshot {
  /// The name shells subscribe to.
  package static var model: String { "galleryPublish" }
  /// The id of the state's schema below the schema root.
  package static var schema: String { "v1/models/gallery-publish.json" }

  /// Enough to render any phase the shell does not know.
  package var status: ModelStatus
  /// The precise state.
  package var phase: Phase
  /// The intents accepted now; the shell enables exactly these controls.
  package var can: [IntentName]
  /// The id of a running operation.
  package var operation: String?
  /// The last failure that was not dismissed yet.
  package var problem: Problem?
  /// As typed.
  package var title: String
  /// As typed.
  package var description: String
  /// The author's content labels.
  package var labels: [String]
  /// A place.
  package var location: GalleryLocation?
  /// Whether camera data is published with the photos.
  package var includeExif: Bool
  /// Whether a post on Bluesky follows.
  package var crossPost: Bool
  /// The photos, by id.
  package var photo: OrderedMap<Photo>
  /// Whole percent of the publish, rounded down; absent while it cannot be told.
  package var percent: Int?
  /// The at-uri of the gallery, once it is published.
  package var publishedURI: String?
  /// What became of the post on Bluesky; absent unless one was asked for and its turn has come.
  package var crossPostStatus: CrossPostStatus?
  /// How many photos the draft has, where only the first of them fit into a message of this shell;
  /// the others are kept and published all the same. Absent where all are here.
  package var photoCount: Int?
  /// The texts of which only the beginning fits into a message of this shell, as JSON Pointers into
  /// this state; the whole is kept and published. Absent where all are whole.
  package var cut: [String]?

  /// The members in schema order; leave out what is absent.
  package init(
    status: ModelStatus, phase: Phase, can: [IntentName], operation: String? = nil,
    problem: Problem? = nil, title: String = "", description: String = "", labels: [String] = [],
    location: GalleryLocation? = nil, includeExif: Bool, crossPost: Bool,
    photo: OrderedMap<Photo> = [:], percent: Int? = nil, publishedURI: String? = nil,
    crossPostStatus: CrossPostStatus? = nil, photoCount: Int? = nil, cut: [String]? = nil
  ) {
    self.status = status
    self.phase = phase
    self.can = can
    self.operation = operation
    self.problem = problem
    self.title = title
    self.description = description
    self.labels = labels
    self.location = location
    self.includeExif = includeExif
    self.crossPost = crossPost
    self.photo = photo
    self.percent = percent
    self.publishedURI = publishedURI
    self.crossPostStatus = crossPostStatus
    self.photoCount = photoCount
    self.cut = cut
  }
}

extension GalleryPublishSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case status, phase, can, operation, problem, title, description, labels, location, includeExif
    case crossPost, photoOrder, photo, percent
    case publishedURI = "publishedUri"
    case crossPostStatus, photoCount, cut
  }

  /// Reads the members; throws where a collection and its order name different keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(ModelStatus.self, forKey: .status)
    phase = try container.decode(Phase.self, forKey: .phase)
    can = try container.decode([IntentName].self, forKey: .can)
    operation = try container.decodeIfPresent(String.self, forKey: .operation)
    problem = try container.decodeIfPresent(Problem.self, forKey: .problem)
    title = try container.decode(String.self, forKey: .title)
    description = try container.decode(String.self, forKey: .description)
    labels = try container.decode([String].self, forKey: .labels)
    location = try container.decodeIfPresent(GalleryLocation.self, forKey: .location)
    includeExif = try container.decode(Bool.self, forKey: .includeExif)
    crossPost = try container.decode(Bool.self, forKey: .crossPost)
    photo = try container.decode(OrderedMap.self, order: .photoOrder, values: .photo)
    percent = try container.decodeIfPresent(Int.self, forKey: .percent)
    publishedURI = try container.decodeIfPresent(String.self, forKey: .publishedURI)
    crossPostStatus = try container.decodeIfPresent(CrossPostStatus.self, forKey: .crossPostStatus)
    photoCount = try container.decodeIfPresent(Int.self, forKey: .photoCount)
    cut = try container.decodeIfPresent([String].self, forKey: .cut)
  }

  /// Writes the members in schema order and leaves out what is absent.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(phase, forKey: .phase)
    try container.encode(can, forKey: .can)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(problem, forKey: .problem)
    try container.encode(title, forKey: .title)
    try container.encode(description, forKey: .description)
    try container.encode(labels, forKey: .labels)
    try container.encodeIfPresent(location, forKey: .location)
    try container.encode(includeExif, forKey: .includeExif)
    try container.encode(crossPost, forKey: .crossPost)
    try container.encode(photo, order: .photoOrder, values: .photo)
    try container.encodeIfPresent(percent, forKey: .percent)
    try container.encodeIfPresent(publishedURI, forKey: .publishedURI)
    try container.encodeIfPresent(crossPostStatus, forKey: .crossPostStatus)
    try container.encodeIfPresent(photoCount, forKey: .photoCount)
    try container.encodeIfPresent(cut, forKey: .cut)
  }
}

extension GalleryPublishSnapshot {
  /// The precise state.
  package enum Phase: String, Codable, CaseIterable, Sendable {
    case editing, preparing, uploading, committing, published, failed
  }
}

extension GalleryPublishSnapshot {
  /// One photo of the draft.
  package struct Photo: Codable, Hashable, Sendable {
    /// The prepared copy, or the original until there is one.
    package var media: Media
    /// The photo in words, for people who cannot see it; empty until typed.
    package var alt: String
    /// How far it has come.
    package var step: PhotoStep
    /// Why this photo cannot go on.
    package var problem: Problem?

    /// The members in schema order; leave out what is absent.
    package init(media: Media, alt: String = "", step: PhotoStep, problem: Problem? = nil) {
      self.media = media
      self.alt = alt
      self.step = step
      self.problem = problem
    }
  }
}

extension GalleryPublishSnapshot {
  /// What became of the post on Bluesky; absent unless one was asked for and its turn has come.
  package enum CrossPostStatus: String, Codable, CaseIterable, Sendable {
    case pending, posted, failed
  }
}
