import ATSyntax
import Testing

/// A DID that is known to be well-formed.
func did(_ text: String) -> DID {
  do {
    return try DID(text)
  } catch {
    preconditionFailure("\(text) is no DID")
  }
}
