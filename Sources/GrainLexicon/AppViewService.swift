package import ATSyntax

/// The Grain AppView as an account's server must be told of it: in a header and in the scope.
///
/// Both spellings come from here, because a development AppView has a port, and a port is escaped
/// once in the DID and once more in the scope (G96).
package struct AppViewService: Hashable, Sendable {
  /// Usually `did:web:grain.social`.
  package let did: DID
  /// The fragment of its service entry, without `#`.
  package let serviceID: String

  /// A service by the DID of its document and its id in there.
  package init(did: DID, serviceID: String = "grain_appview") {
    self.did = did
    self.serviceID = serviceID
  }

  /// The value of `atproto-proxy`, unescaped: `did:web:grain.social#grain_appview`.
  package var proxyHeader: String { "\(did.rawValue)#\(serviceID)" }

  /// The value of `aud` in a scope item: `%` and `#` of ``proxyHeader`` are escaped.
  package var scopeAudience: String {
    proxyHeader.replacing("%", with: "%25").replacing("#", with: "%23")
  }

  /// What the app asks of an account, in this order (grain-product §1).
  package var scopeItems: [String] {
    ["atproto", "blob:image/*"]
      + AppViewService.ownCollections.map { "repo:\($0.rawValue)" }
      + [
        "repo:\(CollectionNames.blueskyPost.rawValue)?action=create",
        "rpc:*?aud=\(scopeAudience)",
      ]
  }

  /// ``scopeItems`` as the `scope` parameter carries them.
  package var scope: String { scopeItems.joined(separator: " ") }

  private static let ownCollections: [NSID] = [
    CollectionNames.gallery, CollectionNames.galleryItem, CollectionNames.photo,
    CollectionNames.photoEXIF, CollectionNames.actorProfile, CollectionNames.follow,
    CollectionNames.block, CollectionNames.favorite, CollectionNames.comment,
    CollectionNames.story,
  ]
}
