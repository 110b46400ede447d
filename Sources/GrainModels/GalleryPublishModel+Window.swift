import GrainLexicon
import GrainServices
import GrainSnapshots

/// A draft that has outgrown the shell's messages, and edits that would make it so.
extension GalleryPublishModel {
  /// What every state has, apart from texts and photographs: names, intents, a place, a problem.
  private static let frame = 4_096
  /// What every photograph has, apart from its address and its text.
  private static let photoFrame = 192
  /// The problem of a photograph.
  private static let photoProblem = 1_024

  /// About how many bytes a draft takes as a state, never less than it does.
  private func bytes(of draft: Draft) -> Int {
    let texts = [draft.title, draft.description] + draft.labels + Self.placeTexts(draft)
    return Self.frame + texts.reduce(0) { $0 + StateBudget.bytes(of: $1) }
      + draft.orderedPhotos.reduce(0) { sum, photo in
        sum + sizes.result(for: photo) { bytes(of: photo, alt: photo.alt) }
      }
  }

  private static func placeTexts(_ draft: Draft) -> [String] {
    let address = draft.address
    return [
      draft.location?.name, address?.country, address?.postalCode, address?.region,
      address?.locality, address?.street, address?.name,
    ].compactMap(\.self)
  }

  private func bytes(of photo: DraftPhoto, alt: String) -> Int {
    // A photograph that waits will have the longer of the two addresses.
    let later = FileURI.text(galleries.preparedPath(id, "\(photo.id).image")).utf8.count
    let address = max(FileURI.text(photo.source).utf8.count, later)
    let problem = photo.failure == nil ? 0 : Self.photoProblem
    return Self.photoFrame + address + problem + StateBudget.bytes(of: alt)
  }

  /// Refuses an edit after which the draft would no longer fit into one message, with every text it has now
  /// kept. One that makes a draft smaller is welcome, however large it still is.
  ///
  /// - Parameters:
  ///   - next: the draft after the edit.
  ///   - problem: what to say, told how many bytes it would have and may have.
  /// - Throws: the problem.
  func refuseOutgrowing(
    _ next: Draft, _ problem: (_ bytes: Int, _ limit: Int) -> Problem
  ) throws(IntentRejection) {
    let limit = budget().bytes
    let bytes = bytes(of: next)
    if bytes > limit, bytes > self.bytes(of: draft) {
      throw IntentRejection(problem(bytes, limit))
    }
  }

  /// A draft from a time when more fitted, as far as it fits now: the first photographs, the beginnings of
  /// texts. What is not shown is kept.
  func windowed(_ whole: GalleryPublishSnapshot) -> GalleryPublishSnapshot {
    let limit = budget().bytes
    guard bytes(of: draft) > limit else { return whole }
    var shown = whole
    var cut: [String] = []
    func fitted(_ text: String, _ place: String, _ share: Int) -> String {
      let beginning = StateBudget.beginning(of: text, bytes: limit / share)
      if beginning != text { cut.append(place) }
      return beginning
    }
    shown.title = fitted(whole.title, "/title", 8)
    shown.description = fitted(whole.description, "/description", 4)
    var left =
      limit - Self.frame - Self.placeTexts(draft).reduce(0) { $0 + StateBudget.bytes(of: $1) }
    for text in [shown.title, shown.description] + whole.labels {
      left -= StateBudget.bytes(of: text)
    }
    var photos = OrderedMap<GalleryPublishSnapshot.Photo>()
    for photo in draft.orderedPhotos {
      guard var entry = whole.photo[photo.id] else { continue }
      let alt = StateBudget.beginning(of: photo.alt, bytes: limit / 8)
      left -= bytes(of: photo, alt: alt)
      if left < 0 { break }
      if alt != photo.alt { cut.append("/photo/\(photo.id)/alt") }
      entry.alt = alt
      photos[photo.id] = entry
    }
    shown.photo = photos
    if photos.count < draft.photoOrder.count { shown.photoCount = draft.photoOrder.count }
    shown.cut = cut.isEmpty ? nil : cut
    return shown
  }
}
