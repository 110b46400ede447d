import GrainServices

/// What was worked out for each photograph, so that a change of one costs no work for a thousand others.
struct PhotoMemo<Result> {
  private var known: [String: (photo: DraftPhoto, result: Result)] = [:]

  /// The result for a photograph, worked out if it was never asked for or the photograph has changed since.
  mutating func result(for photo: DraftPhoto, _ make: () -> Result) -> Result {
    if let last = known[photo.id], last.photo == photo { return last.result }
    let result = make()
    known[photo.id] = (photo, result)
    return result
  }
}
