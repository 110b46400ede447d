package import PhotoFile

/// A door to something that makes pictures smaller: the shell, or a program of this machine.
package struct ImageResizer: Sendable {
  /// One picture to be made to fit.
  package struct Request: Equatable, Sendable {
    /// Absolute path of the original.
    package let source: String
    /// What the original is.
    package let info: PictureInfo
    /// What the result must fit into; the picture is never enlarged.
    package let limits: ImageLimits
    /// A private, empty folder that is removed afterwards.
    package let folder: String
    /// Where the result is expected: a JPEG, upright or with an orientation tag, but never both
    /// turned and tagged. Metadata in it is removed afterwards.
    package let output: String

    /// A request.
    package init(
      source: String, info: PictureInfo, limits: ImageLimits, folder: String, output: String
    ) {
      self.source = source
      self.info = info
      self.limits = limits
      self.folder = folder
      self.output = output
    }
  }

  /// Why there is no result.
  package enum Failure: Error, Equatable, Sendable {
    /// Not there at all; the next one may be.
    case missing
    /// It tried in vain; what it said. The next one may know better.
    case failed(String)
    /// The disk is full; no other could do better.
    case storageFull
    /// The calling task was cancelled.
    case cancelled
  }

  /// What to call it in messages.
  package let name: String
  /// Writes the result to the request's output, or throws.
  package let resize: @Sendable (Request) async throws(Failure) -> Void

  /// A resizer.
  package init(
    name: String, resize: @escaping @Sendable (Request) async throws(Failure) -> Void
  ) {
    self.name = name
    self.resize = resize
  }
}
