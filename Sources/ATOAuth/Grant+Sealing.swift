import ATSyntax
import Foundation
import OAuth
package import OpenSSLCrypto

extension Grant {
  private static let kind = "atproto.grant"

  /// The grant as bytes for the vault.
  package func sealable() -> Secret {
    var document = StoredDocument(kind: Self.kind)
    document.set("did", did.rawValue)
    document.set("handle", handle?.rawValue)
    document.set("pds", pds.absoluteString)
    document.set("issuer", issuer.rawValue)
    document.set("tokenEndpoint", tokenEndpoint.absoluteString)
    document.set("revocationEndpoint", revocationEndpoint?.absoluteString)
    document.set("clientID", clientID)
    document.set("accessToken", tokens.accessToken)
    document.set("refreshToken", tokens.refreshToken)
    document.set("expiresAt", tokens.expiresAt)
    document.set("scope", tokens.scope)
    document.set("dpopKey", dpopKey)
    return document.sealable
  }

  /// The grant that ``sealable()`` wrote.
  ///
  /// - Throws: ``DamagedRecord`` when the bytes are something else.
  package init(unsealed bytes: Secret) throws(DamagedRecord) {
    let document = try StoredDocument(bytes, kind: Self.kind)
    self.init(
      did: try document.did("did"), handle: try document.optionalHandle("handle"),
      pds: try document.url("pds"), issuer: try document.issuer("issuer"),
      tokenEndpoint: try document.url("tokenEndpoint"),
      revocationEndpoint: try document.optionalURL("revocationEndpoint"),
      clientID: try document.text("clientID"),
      tokens: TokenSet(
        accessToken: try document.secret("accessToken"),
        refreshToken: document.optionalSecret("refreshToken"),
        expiresAt: document.optionalDate("expiresAt"), scope: try document.text("scope")),
      dpopKey: try document.key("dpopKey"))
  }
}
