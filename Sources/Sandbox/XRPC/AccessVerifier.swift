package import ATSyntax
package import Foundation
package import HTTPServing

/// Judges the access token and the proof of a resource request.
package protocol AccessVerifier: Sendable {
  /// The checks of wire §10.2 in their order, up to and including the `atproto` scope.
  ///
  /// `publicURL` is the origin the client knows the resource server by; `htu` is it plus the
  /// request's path.
  func verifyAccess(_ request: HTTPServerRequest, publicURL: URL) async -> AccessVerdict
}

/// What became of an access check.
package enum AccessVerdict: Sendable {
  case granted(AccessGrant)
  /// The whole answer, `WWW-Authenticate` and `DPoP-Nonce` included.
  case refused(HTTPServerResponse)
}

/// What a valid access token permits.
package struct AccessGrant: Sendable {
  /// Whose token it is.
  package var did: DID
  /// The token's scope items, verbatim.
  package var scopes: [String]
  /// Who was given it.
  package var clientID: String
  /// Goes on the answer, so that the next proof carries a fresh one.
  package var dpopNonce: String

  /// A grant as the token states it.
  package init(did: DID, scopes: [String], clientID: String, dpopNonce: String) {
    self.did = did
    self.scopes = scopes
    self.clientID = clientID
    self.dpopNonce = dpopNonce
  }
}

extension AccessGrant {
  private var permissions: [SandboxScope] { scopes.compactMap { SandboxScope($0) } }

  /// - Throws: 403 `ScopeMissingError` naming the permission.
  func requireRepo(_ collection: NSID, _ action: RepoAction) throws(XRPCRefusal) {
    guard permissions.contains(where: { $0.allowsRepo(collection.rawValue, action) }) else {
      throw .missingScope("repo:\(collection)?action=\(action.rawValue)")
    }
  }

  /// - Throws: 403 `ScopeMissingError` naming the permission.
  func requireBlob(_ mediaType: String) throws(XRPCRefusal) {
    guard permissions.contains(where: { $0.allowsBlob(mediaType) }) else {
      throw .missingScope("blob:\(mediaType)")
    }
  }

  /// Asks for a call of `method` at `aud`, which is `did#service`.
  ///
  /// Like the reference's, the text of the 403 escapes the audience only once, so one with a port
  /// would not parse (wire §12.2).
  func requireRPC(_ method: NSID, aud: String) throws(XRPCRefusal) {
    guard permissions.contains(where: { $0.allowsRPC(lxm: method.rawValue, aud: aud) }) else {
      throw .missingScope("rpc:\(method)?aud=\(aud.replacing("#", with: "%23"))")
    }
  }

  /// Whether the account's e-mail address may be shown.
  var mayReadEmail: Bool { permissions.contains { $0.allowsAccount("email", manage: false) } }
}
