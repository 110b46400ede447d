import GrainLexicon
import PhotoFile

/// Turns the files a person chose into copies that may leave the machine.
package struct PhotoWorkshop: Sendable {
  /// Why a copy could not be made.
  package enum Failure: Error, Equatable, Sendable {
    case photo(PhotoFailure)
    case store(StoreFault)
    /// The caller stopped it; the photograph is as it was.
    case cancelled
  }

  private let drafts: DraftStore
  private let preparer: ImagePreparer

  /// A workshop that works in the drafts' folders.
  package init(drafts: DraftStore, preparer: ImagePreparer) {
    self.drafts = drafts
    self.preparer = preparer
  }

  /// Prepares one photograph of a draft and saves the result, good or bad.
  ///
  /// - Returns: the draft as saved; `nil` when it is gone, or the photograph was when it began.
  package func prepare(_ photo: String, of id: String) async throws(Failure) -> Draft? {
    let draft: Draft?
    do throws(StoreFault) {
      draft = try await drafts.draft(id)
    } catch {
      throw .store(error)
    }
    guard let source = draft?.photos[photo]?.source else { return nil }
    let file = "\(photo).image"
    let image: PreparedImage
    do throws(ImagePreparationError) {
      image = try await preparer.prepare(
        source: source, output: drafts.preparedPath(id, file: file))
    } catch {
      let failure = Failure(error)
      if case .photo(let reason) = failure {
        _ = try await save(id, photo) { $0.failure = reason }
      }
      throw failure
    }
    let prepared = DraftPhoto.Prepared(
      file: file, mediaType: image.mediaType, width: image.width, height: image.height,
      bytes: image.bytes, exif: image.exif.flatMap { PhotoEXIF($0) })
    let saved = try await save(id, photo) {
      $0.prepared = prepared
      $0.failure = nil
    }
    // Taken out meanwhile: nobody would ever remove the copy.
    if saved?.photos[photo] == nil { drafts.removePrepared(file, of: id) }
    return saved
  }

  private func save(
    _ id: String, _ photo: String, _ edit: @escaping @Sendable (inout DraftPhoto) -> Void
  ) async throws(Failure) -> Draft? {
    do throws(StoreFault) {
      return try await drafts.change(id) { draft in
        guard var changed = draft.photos[photo] else { return }
        edit(&changed)
        draft.photos[photo] = changed
      }
    } catch {
      throw .store(error)
    }
  }
}

extension PhotoWorkshop.Failure {
  /// What a failed preparation means for the photograph, or for the store.
  fileprivate init(_ error: ImagePreparationError) {
    self =
      switch error {
      case .unreadable: .photo(.unreadable)
      case .sourceTooLarge(let limit): .photo(.sourceTooLarge(limit: limit))
      case .notAPicture(let found): .photo(.notAPicture(found: found))
      case .unsupported(let kind): .photo(.unsupported(kind: kind.rawValue))
      case .conversionWithoutTool(let kind):
        .photo(.conversionWithoutTool(kind: kind.rawValue))
      case .tooLargeWithoutTool(let bytes, let width, let height):
        .photo(.tooLarge(bytes: bytes, width: width, height: height))
      case .damaged: .photo(.damaged)
      case .toolFailed(let tool, let detail): .photo(.toolFailed(tool: tool, detail: detail))
      case .storageFull: .store(.full)
      case .unwritable(let error): .store(StoreFault(error))
      case .cancelled: .cancelled
      }
  }
}
