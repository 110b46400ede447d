import ATSyntax
import HTTPTransport
import Foundation
import HTTPServing
import JOSE
import OpenSSLCrypto
import StrictJSON
import SystemClients

/// Tells from a service token who is calling, as an atproto service must (wire §10.4).
struct ServiceTokenJudge: Sendable {
  /// The DID tokens must be made out to.
  let audience: DID
  let identities: DIDDocuments
  let clock: SystemClock

  /// - Returns: the caller, or `nil` without an `Authorization` header.
  /// - Throws: 401 for a token that is not good for this method here and now.
  func caller(of request: HTTPServerRequest, method: NSID) async throws -> DID? {
    guard let header = request.headers["Authorization"] else { return nil }
    guard header.hasPrefix("Bearer ") else {
      throw XRPCRefusal(401, "AuthMissing", "Authentication Required")
    }
    let token: CompactJWS
    let claims: JSONObject
    do {
      token = try CompactJWS(parsing: String(header.dropFirst(7)))
      claims = try token.claims()
    } catch {
      throw XRPCRefusal(401, "BadJwt", "poorly formatted jwt")
    }
    guard token.header["typ"] == "JWT", token.header["alg"] == "ES256",
      let issuer = claims["iss"]?.stringValue, let expiry = claims["exp"]?.intValue
    else { throw XRPCRefusal(401, "BadJwt", "poorly formatted jwt") }
    guard clock.now().timeIntervalSince1970 < Double(expiry) else {
      throw XRPCRefusal(401, "JwtExpired", "jwt expired")
    }
    guard claims["aud"] == .string(audience.rawValue) else {
      throw XRPCRefusal(401, "BadJwtAudience", "jwt audience does not match service did")
    }
    guard claims["lxm"] == .string(method.rawValue) else {
      throw XRPCRefusal(401, "BadJwtLexiconMethod", "bad jwt lexicon method: must match \(method)")
    }
    // An issuer that is no DID has no document.
    guard let did = try? DID(issuer), let key = try? await identities.document(of: did).signingKey
    else { throw XRPCRefusal(401, "BadJwtIssuer", "could not resolve jwt issuer") }
    guard token.isSigned(by: key) else {
      throw XRPCRefusal(401, "BadJwtSignature", "jwt signature does not match jwt issuer")
    }
    return did
  }
}
