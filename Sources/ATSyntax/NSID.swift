/// A namespaced identifier of a lexicon: a reversed domain, then a name in camel case.
///
/// At most 317 bytes, three segments or more; kept as written, since the name is case-sensitive.
/// Source: atproto NSID specification.
package struct NSID: SyntaxText {
  /// As written: case matters.
  package let rawValue: String

  /// Reads an NSID.
  package init(_ text: String) throws(SyntaxError) {
    let bytes = text.utf8
    guard bytes.count <= 317 else { throw .tooLong(.nsid, limit: 317) }
    let segments = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count >= 3, let name = segments.last,
      segments.dropLast().allSatisfy(\.isDomainLabel),
      segments[0].first?.isLetter == true,
      name.count <= 63, name.first?.isLetter == true, name.allSatisfy(\.isLetterOrDigit)
    else { throw .malformed(.nsid, text) }
    rawValue = text
  }

  /// A name this program knows by heart; a malformed one is our own bug and stops the process.
  package init(constant text: StaticString) {
    do {
      try self.init(text.description)
    } catch {
      preconditionFailure("not an NSID: \(text)")
    }
  }

  /// The last segment: what the lexicon calls itself.
  package var name: String { String(rawValue.split(separator: ".").last ?? "") }
}
