package import PhotoFile
package import SystemClients

/// Why a file did not become a picture that can be published. Nothing is left at the output path
/// that was not there before.
package enum ImagePreparationError: Error, Equatable, Sendable {
  /// The source is missing or cannot be read; its path.
  case unreadable(String)
  /// The source is longer than what is looked at at all; that limit in bytes.
  case sourceTooLarge(limit: Int)
  /// The bytes are no picture; what they look like, when known.
  case notAPicture(found: String?)
  /// A film, a raw file, or a kind no installed tool could read.
  case unsupported(PictureKind)
  /// A picture of a kind that must be converted (HEIF, TIFF …), and no tool is installed.
  case conversionWithoutTool(PictureKind)
  /// Over the limits, and no tool is installed to make it smaller; bytes without metadata and
  /// upright pixels as they are.
  case tooLargeWithoutTool(bytes: Int, width: Int, height: Int)
  /// The file is cut off or broken; what is missing.
  case damaged(String)
  /// The last tool tried, and what it said.
  case toolFailed(tool: String, detail: String)
  /// The disk is full.
  case storageFull
  /// The output cannot be written for another reason.
  case unwritable(FileError)
  /// The calling task was cancelled.
  case cancelled
}

extension ImagePreparationError {
  init(_ error: PictureError) {
    self =
      switch error {
      case .empty: .notAPicture(found: "an empty file")
      case .notAPicture(let found): .notAPicture(found: found)
      case .unsupported(let kind): .unsupported(kind)
      case .damaged(let what): .damaged(what)
      }
  }

  /// The failure of writing.
  init(writing error: FileError) { self = error == .full ? .storageFull : .unwritable(error) }
}
