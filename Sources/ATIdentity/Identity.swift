package import ATSyntax
package import Foundation

/// An account, found and checked.
package struct Identity: Sendable, Equatable {
  /// The account's key, everywhere and for ever.
  package let did: DID
  /// A name that leads to the DID and that the DID's document confirms; `nil` when there is none.
  package let handle: Handle?
  /// The origin of the account's home server, without a trailing slash.
  package let pds: URL

  /// An identity whose parts were checked by the caller.
  package init(did: DID, handle: Handle?, pds: URL) {
    self.did = did
    self.handle = handle
    self.pds = pds
  }
}
