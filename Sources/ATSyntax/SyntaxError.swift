/// Why a text is not the identifier it was read as.
///
/// The offending text is kept out of the error's words by callers that print: it came from outside.
package enum SyntaxError: Error, Equatable, Sendable {
  /// The text breaks the grammar of `kind`.
  case malformed(SyntaxKind, String)
  /// The text is longer than `kind` allows; the limit is in bytes of UTF-8.
  case tooLong(SyntaxKind, limit: Int)
}

/// The grammars this room knows, by the names the specifications use.
package enum SyntaxKind: String, Sendable {
  case did = "DID"
  case handle
  case nsid = "NSID"
  case recordKey = "record key"
  case tid = "TID"
  case atURI = "AT URI"
  case cid = "CID"
  case dateTime = "datetime"
  case languageTag = "language tag"
  case atIdentifier = "handle or DID"
}
