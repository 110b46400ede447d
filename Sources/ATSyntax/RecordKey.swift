/// The name of a record within its collection: 1–512 of `A–Z a–z 0–9 _ ~ . : -`, not `.` or `..`.
///
/// Source: atproto record key specification.
package struct RecordKey: SyntaxText {
  /// As written: case matters.
  package let rawValue: String

  /// Reads a record key.
  package init(_ text: String) throws(SyntaxError) {
    let bytes = text.utf8
    guard bytes.count <= 512 else { throw .tooLong(.recordKey, limit: 512) }
    guard !bytes.isEmpty, text != ".", text != "..",
      bytes.allSatisfy({ $0.isLetterOrDigit || "_~.:-".utf8.contains($0) })
    else { throw .malformed(.recordKey, text) }
    rawValue = text
  }

  /// Every TID is a record key.
  package init(_ tid: TID) { rawValue = tid.rawValue }

  /// The only key of collections that hold one record, such as a profile.
  package static let literalSelf = RecordKey(checked: "self")

  private init(checked: String) { rawValue = checked }
}
