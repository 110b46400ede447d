package import Foundation

/// Where identities are looked up. Source: G9, G98.
package struct IdentityConfiguration: Sendable {
  /// The directory of `did:plc` documents.
  package var plcDirectory: URL
  /// Who is asked for a handle when the handle's own host names no DID.
  package var handleResolver: URL
  /// Development only: handles under `.test` may be looked up.
  package var allowTestHandles: Bool
  /// Development only: http, ports and `did:web` on loopback hosts.
  package var allowInsecureLoopback: Bool
  /// How long a handle or a document may be reused; atproto asks for less than ten minutes in login
  /// flows.
  package var cacheLifetime: Duration

  /// A configuration; development switches are off unless given.
  package init(
    plcDirectory: URL, handleResolver: URL, allowTestHandles: Bool = false,
    allowInsecureLoopback: Bool = false, cacheLifetime: Duration = .seconds(590)
  ) {
    self.plcDirectory = plcDirectory
    self.handleResolver = handleResolver
    self.allowTestHandles = allowTestHandles
    self.allowInsecureLoopback = allowInsecureLoopback
    self.cacheLifetime = cacheLifetime
  }
}
