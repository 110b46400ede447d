/// How messages are told apart in a stream of bytes.
///
/// - SeeAlso: bridge protocol §1
package enum Framing: String, Sendable, CaseIterable {
  /// The first byte that counts decides: `{` or `[` for lines, `C` or `c` for headers, else lines.
  case auto
  /// One message a line.
  case lines
  /// `Content-Length` and that many bytes, as language servers do.
  case headers
}

/// Why a stream with headers cannot be read any further: where the next message starts is lost.
package enum FramingFault: Error, Hashable, Sendable {
  /// A header block longer than 1 KiB.
  case headerTooLong
  /// A header other than the two that may be there, or a line that is none.
  case unknownHeader
  /// A block without `Content-Length`, or with two.
  case missingLength
  /// A length that is not one to eight digits.
  case badLength
}
