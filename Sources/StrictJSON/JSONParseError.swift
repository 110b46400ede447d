/// Why bytes are not a document we accept. Offsets count bytes from the start.
package enum JSONParseError: Error, Equatable, Sendable {
  /// The grammar of RFC 8259 is broken here; a lone surrogate escape counts.
  case invalidJSON(offset: Int)
  /// The bytes from here are not UTF-8.
  case invalidUTF8(offset: Int)
  /// Nested deeper than `JSONLimits.maximumDepth`.
  case tooDeep
  /// One object has this name twice.
  case duplicateKey(String)
  /// A text or number is longer than `JSONLimits.maximumStringBytes`.
  case stringTooLong
  /// An object or array has more than `JSONLimits.maximumMembers`.
  case tooManyMembers
}
