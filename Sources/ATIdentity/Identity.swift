package import ATSyntax
package import Foundation

/// An account, found and checked.
package struct Identity: Sendable, Equatable {
  /// The account's key, everywhere and for ever.
  package let did: DID
  /// Whether a name leads to the DID that the DID's document confirms.
  package let confirmation: HandleConfirmation
  /// The origin of the account's home server, without a trailing slash.
  package let pds: URL

  /// An identity whose parts were checked by the caller.
  package init(did: DID, confirmation: HandleConfirmation, pds: URL) {
    self.did = did
    self.confirmation = confirmation
    self.pds = pds
  }

  /// The confirmed name; `nil` when there is none, or none that could be confirmed just now.
  package var handle: Handle? { confirmation.handle }
}
