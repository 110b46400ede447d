/// What a person may type, and what an AT URI may start with: a handle or a DID.
package enum ATIdentifier: SyntaxText {
  case did(DID)
  case handle(Handle)

  /// Reads a DID if the text starts with `did:`, else a handle.
  package init(_ text: String) throws(SyntaxError) {
    do {
      self = text.hasPrefix("did:") ? .did(try DID(text)) : .handle(try Handle(text))
    } catch {
      throw .malformed(.atIdentifier, text)
    }
  }

  /// The DID, or the handle in lower case.
  package var rawValue: String {
    switch self {
    case .did(let did): did.rawValue
    case .handle(let handle): handle.rawValue
    }
  }
}
