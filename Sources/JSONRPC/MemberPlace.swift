import StrictJSON

/// A place in a message's params, as an error may say it: it ends in front of the first name that may not be
/// repeated.
package struct MemberPlace: Hashable, Sendable {
  /// The place, as a JSON Pointer (RFC 6901).
  package let pointer: String
  /// Whether a name on the way here was left out, and all that is below it.
  private let isCut: Bool

  /// The params themselves.
  package static let params = MemberPlace(pointer: "", isCut: false)

  /// A place that has a fixed name.
  ///
  /// - Parameter pointer: made of names of ours.
  package init(_ pointer: String) { self.init(pointer: pointer, isCut: false) }

  private init(pointer: String, isCut: Bool) {
    self.pointer = pointer
    self.isCut = isCut
  }

  /// The place of a member; this place itself when the name may not be repeated.
  package func member(_ name: String) -> MemberPlace {
    if isCut { return self }
    guard PlainName.fits(name) else { return MemberPlace(pointer: pointer, isCut: true) }
    return MemberPlace(pointer: "\(pointer)\(JSONPointer.text(of: [name]))", isCut: false)
  }

  /// The place of an element.
  package func element(_ index: Int) -> MemberPlace {
    isCut ? self : MemberPlace(pointer: "\(pointer)/\(index)", isCut: false)
  }
}
