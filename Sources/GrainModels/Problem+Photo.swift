package import GrainServices
package import GrainSnapshots

extension Problem {
  /// One picture that cannot be published.
  ///
  /// - Parameters:
  ///   - failure: what is wrong with it.
  ///   - name: what the person calls it.
  ///   - number: its place in the gallery, from one, where it has stopped a publish: then the sentence
  ///     names it and says that the draft is kept.
  package init(_ failure: PhotoFailure, name: String, number: Int? = nil) {
    let words = Words(failure)
    var params = words.params
    params["name"] = .text(name)
    if let number { params["number"] = .integer(number) }
    let fallback =
      number == nil
      ? "{name} \(words.fault). \(words.advice.prefix(1).uppercased())\(words.advice.dropFirst())."
      : "Photo {number} ({name}) \(words.fault). The draft is kept; \(words.advice)."
    self.init(words.kind, params: params, fallback: fallback, details: words.details)
  }

  /// What a failure is called, and what to do about it.
  private struct Words {
    let kind: ErrorKind
    let fault: String
    let advice: String
    var params: [String: PlainValue] = [:]
    var details: [String: PlainValue]?

    init(_ failure: PhotoFailure) {
      switch failure {
      case .unreadable:
        kind = .galleryPhotoUnreadable
        fault = "could not be read"
        advice = "check that the file is still there and opens, or take it out"
      case .damaged:
        kind = .galleryPhotoUnreadable
        fault = "is damaged and cannot be published"
        advice = "choose another copy"
      case .notAPicture(let found):
        kind = .galleryPhotoUnsupported
        fault = "is not a picture"
        advice = "choose a JPEG, PNG or WebP file"
        details = found.map { ["found": .text($0)] }
      case .unsupported(let found):
        kind = .galleryPhotoUnsupported
        fault = "is not a kind of picture that can be published"
        advice = "use a JPEG, PNG or WebP copy"
        details = ["found": .text(found)]
      case .tooLarge(let bytes, let width, let height):
        kind = .galleryPhotoTooLarge
        fault = "is too large, and no program to make it smaller is installed"
        advice = "install libvips-tools or imagemagick, or choose a smaller copy"
        details = [
          "bytes": .integer(bytes), "width": .integer(width), "height": .integer(height),
        ]
      case .sourceTooLarge(let limit):
        kind = .galleryPhotoTooLarge
        fault = "is larger than {limit} MB"
        advice = "choose a smaller copy"
        params = ["limit": .integer(limit / 1_000_000)]
      case .conversionWithoutTool(let found):
        kind = .galleryPhotoUnsupported
        fault =
          "is a {kind} picture, which must be converted first, and no program for that is installed"
        advice = "install libvips-tools or imagemagick, or use a JPEG, PNG or WebP copy"
        params = ["kind": .text(found.uppercased())]
        details = ["found": .text(found)]
      case .toolFailed:
        kind = .galleryPhotoTooLarge
        fault = "is too large and could not be made smaller"
        advice = "choose a smaller copy"
      }
    }
  }
}
