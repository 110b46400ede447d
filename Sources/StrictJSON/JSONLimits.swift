/// What a document may ask of the reader's memory and stack.
package struct JSONLimits: Sendable, Hashable {
  /// How deep arrays and objects may be nested; a bare array is one level.
  package var maximumDepth: Int
  /// How long one text or number may be, in bytes of UTF-8 after escapes are resolved.
  package var maximumStringBytes: Int
  /// How many members one object, or elements one array, may have.
  package var maximumMembers: Int

  /// The limits of one message on the bridge (bridge protocol §8), unless told otherwise.
  package init(
    maximumDepth: Int = 64, maximumStringBytes: Int = 262_144, maximumMembers: Int = 10_000
  ) {
    self.maximumDepth = maximumDepth
    self.maximumStringBytes = maximumStringBytes
    self.maximumMembers = maximumMembers
  }

  /// For records and documents fetched from servers, whose size the transport already bounds.
  package static let document = JSONLimits(
    maximumDepth: 128, maximumStringBytes: 4_194_304, maximumMembers: 100_000)
}
