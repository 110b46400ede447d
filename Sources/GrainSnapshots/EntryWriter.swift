/// Writes the entries of collections in the place of ``OrderedMap``; an encoder whose `userInfo` has one under
/// `CodingUserInfoKey.entryWriter` is asked for it. Whoever encodes the same state again and again can remember
/// entries so.
package protocol EntryWriter {
  /// Writes an object that has every entry of the map under its key, in the map's order.
  ///
  /// - Parameters:
  ///   - map: the entries.
  ///   - name: the member that holds them; a state has each name once.
  ///   - encoder: where the object belongs.
  /// - Throws: what the encoder throws.
  func write<Value: Encodable & Equatable>(
    _ map: OrderedMap<Value>, named name: String, to encoder: any Encoder
  ) throws
}

extension CodingUserInfoKey {
  /// Where an encoder has its ``EntryWriter``.
  package static let entryWriter: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "EntryWriter") else {
      preconditionFailure("any text is a key")
    }
    return key
  }()
}
