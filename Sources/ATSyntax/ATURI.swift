/// The address of a repository, a collection or a record: `at://authority[/collection[/rkey]]`.
///
/// No query and no fragment: this core names whole records only. Source: atproto AT URI
/// specification, in the restricted form lexicons use; at most 8 KiB.
package struct ATURI: SyntaxText {
  /// Whose repository it is.
  package let authority: ATIdentifier
  /// `nil` for the address of a whole repository.
  package let collection: NSID?
  /// `nil` for the address of a repository or a collection.
  package let recordKey: RecordKey?

  /// Reads an address; a trailing slash, a query and a fragment are malformed.
  package init(_ text: String) throws(SyntaxError) {
    guard text.utf8.count <= 8192 else { throw .tooLong(.atURI, limit: 8192) }
    guard text.hasPrefix("at://") else { throw .malformed(.atURI, text) }
    let segments = text.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count <= 3 else { throw .malformed(.atURI, text) }
    do {
      authority = try ATIdentifier(String(segments[0]))
      collection = segments.count > 1 ? try NSID(String(segments[1])) : nil
      recordKey = segments.count > 2 ? try RecordKey(String(segments[2])) : nil
    } catch {
      throw .malformed(.atURI, text)
    }
  }

  /// The address of one record.
  package init(_ repository: DID, _ collection: NSID, _ recordKey: RecordKey) {
    authority = .did(repository)
    self.collection = collection
    self.recordKey = recordKey
  }

  /// The whole address; a handle in it is in lower case.
  package var rawValue: String {
    let segments = [authority.rawValue, collection?.rawValue, recordKey?.rawValue].compactMap(
      \.self)
    return "at://" + segments.joined(separator: "/")
  }
}
