package import ATSyntax
package import HTTPTransport

/// Why an identity could not be established.
package enum IdentityError: Error, Equatable, Sendable {
  /// What was typed is neither a handle that can exist nor a DID.
  case invalidInput(String)
  /// Everybody who could know was asked and nobody knows the handle.
  case handleNotFound(Handle)
  /// The handle names an account whose own document does not name the handle.
  case handleUnconfirmed(Handle, DID)
  /// The DID was never registered, or its account is gone.
  case didNotFound(DID)
  /// The account's document names no usable home server (FB-A18).
  case noPDS(DID)
  /// A server did not answer, or answered with a status that says nothing about the identity (then
  /// the error is `nil`). Trying later may help (FB-A20).
  case unreachable(host: String, HTTPError?)
  /// A document does not belong to the DID it was fetched for, or is no document; which part is wrong.
  case invalidDocument(String)
  /// A DID of a method, or of a form of `did:web`, that atproto does not use.
  case unsupportedMethod(String)
}
