/// Why a file cannot be used as a picture.
package enum PictureError: Error, Equatable, Sendable {
  /// No bytes at all.
  case empty
  /// Not a picture; `found` names the content in a few English words when it is well known.
  case notAPicture(found: String?)
  /// A kind that is recognised but that this operation does not handle.
  case unsupported(PictureKind)
  /// The right kind, but what is needed is missing or cut off; the text says what.
  case damaged(String)
}
