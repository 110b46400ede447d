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
  /// What happened and what to do next, in English.
  ///
  /// - Parameter limits: the limits that were applied, to be named.
  /// - Returns: one or two sentences.
  package func userMessage(_ limits: ImageLimits) -> String {
    let advice = "Install libvips-tools (vipsthumbnail) or imagemagick, or choose another copy."
    return switch self {
    case .unreadable(let path): "\(path) cannot be read. Check that it is still there."
    case .sourceTooLarge(let limit):
      "The file is larger than \(limit / 1_000_000) MB. Choose a smaller copy."
    case .notAPicture(let found):
      "This is not a picture\(found.map { " but \($0)" } ?? ""). Choose a JPEG, PNG or WebP file."
    case .unsupported(let kind):
      "Files of the kind \(kind.rawValue) cannot be published. Choose a JPEG, PNG or WebP file."
    case .conversionWithoutTool(let kind):
      "A \(kind.rawValue) picture must be converted, and no program for it is installed. \(advice)"
    case .tooLargeWithoutTool(let bytes, let width, let height):
      "The picture has \(width) × \(height) pixels and \(bytes) bytes; the limit is "
        + "\(limits.width) × \(limits.height) and \(limits.bytes). No program to make it smaller "
        + "is installed. \(advice)"
    case .damaged(let what): "The picture is damaged: \(what). Choose another copy."
    case .toolFailed(let tool, let detail):
      "\(tool) could not make the picture smaller: \(detail). Choose another copy."
    case .storageFull: "The disk is full. Make room and try again."
    case .unwritable: "The prepared picture cannot be saved. Check the data folder."
    case .cancelled: "Stopped."
    }
  }

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
