package import OpenSSLCrypto
package import StrictJSON

extension CompactJWS {
  /// The payload as a JWT's claims (RFC 7519 §7.2).
  ///
  /// - Throws: `JOSEError.invalidClaims` unless it is a JSON object without duplicate members.
  package func claims() throws(JOSEError) -> JSONObject {
    do {
      guard case .object(let claims) = try JSONParser.parse(payload) else {
        throw JOSEError.invalidClaims
      }
      return claims
    } catch {
      throw .invalidClaims
    }
  }

  /// Signs claims: the payload is their JSON, members in their given order.
  ///
  /// - Throws: as ``sign(header:payload:key:)``.
  package static func sign(
    header: JSONObject, claims: JSONObject, key: P256PrivateKey
  ) throws(JOSEError) -> String {
    try sign(header: header, payload: JSONValue.object(claims).serialized(), key: key)
  }
}
