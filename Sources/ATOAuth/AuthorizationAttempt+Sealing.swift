import ATSyntax
import Foundation
import OAuth
package import OpenSSLCrypto

extension AuthorizationAttempt {
  private static let kind = "atproto.attempt"

  /// The attempt as bytes for the vault.
  package func sealable() -> Secret {
    var document = StoredDocument(kind: Self.kind)
    document.set("state", state)
    document.set("issuer", issuer.rawValue)
    document.set("tokenEndpoint", tokenEndpoint.absoluteString)
    document.set("revocationEndpoint", revocationEndpoint?.absoluteString)
    document.set("verifier", verifier)
    document.set("dpopKey", dpopKey)
    document.set("clientID", client.clientID)
    document.set("redirectURI", client.redirectURI)
    document.set("scope", scope)
    document.set("pds", pds.absoluteString)
    document.set("expectedDID", expectedDID?.rawValue)
    document.set("handle", handle?.rawValue)
    document.set("createdAt", createdAt)
    document.set("expiresAt", expiresAt)
    return document.sealable
  }

  /// The attempt that ``sealable()`` wrote.
  ///
  /// - Throws: ``DamagedRecord`` when the bytes are something else.
  package init(unsealed bytes: Secret) throws(DamagedRecord) {
    let document = try StoredDocument(bytes, kind: Self.kind)
    state = try document.secret("state")
    issuer = try document.issuer("issuer")
    tokenEndpoint = try document.url("tokenEndpoint")
    revocationEndpoint = try document.optionalURL("revocationEndpoint")
    verifier = try document.secret("verifier")
    dpopKey = try document.key("dpopKey")
    client = ClientIdentity(
      clientID: try document.text("clientID"), redirectURI: try document.text("redirectURI"))
    scope = try document.text("scope")
    pds = try document.url("pds")
    expectedDID = try document.optionalDID("expectedDID")
    handle = try document.optionalHandle("handle")
    createdAt = try document.date("createdAt")
    expiresAt = try document.date("expiresAt")
  }
}
