import GrainLexicon

/// What a draft must satisfy before anything is sent. Source: grain-product §§9, 12; G118.
package struct DraftRules: Sendable {
  private let limits: CoreConfiguration.PublishLimits

  /// The rules under these limits.
  package init(limits: CoreConfiguration.PublishLimits) {
    self.limits = limits
  }

  /// - Throws: the first rule that does not hold, in the order a person would mend them.
  package func check(_ draft: Draft) throws(PublishError) {
    if draft.photoOrder.isEmpty { throw .noPhotos }
    if draft.photoOrder.count > limits.photos {
      throw .tooManyPhotos(count: draft.photoOrder.count, limit: limits.photos)
    }
    let title = draft.title.trimmed
    if title.isEmpty { throw .titleMissing }
    if !TextLimit.galleryTitle.admits(title) {
      throw .titleTooLong(
        bytes: title.utf8.count, limit: TextLimit.galleryTitle.bytes)
    }
    let description = draft.description.trimmed
    if !TextLimit.galleryDescription.admits(description) {
      throw .textTooLong(
        bytes: description.utf8.count, limit: TextLimit.galleryDescription.bytes)
    }
  }
}
