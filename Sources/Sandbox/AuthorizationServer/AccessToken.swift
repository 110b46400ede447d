import Foundation
import JOSE
import OpenSSLCrypto
import StrictJSON

/// What an access token says.
///
/// Its form is this server's own (to a client every token is opaque): the canary marker, the claims
/// of the reference server's `at+jwt`, and an HMAC over both.
struct AccessToken: Codable, Equatable, Sendable {
  struct Confirmation: Codable, Equatable, Sendable {
    /// The thumbprint of the key the token is bound to.
    var jkt: String
  }

  var jti: String
  var sub: String
  var iat: Int
  var exp: Int
  /// The PDS, as a service DID.
  var aud: String
  var cnf: Confirmation
  var clientID: String
  var iss: String
  /// What a resource server that does not ask back goes by.
  var scope: String

  private enum CodingKeys: String, CodingKey {
    case jti, sub, iat, exp, aud, cnf, iss, scope
    case clientID = "client_id"
  }

  /// - Throws: never in practice; the claims are plain values.
  func sealed(key: [UInt8]) throws -> String {
    let claims = Base64URL.encode(try JSONValueEncoder().encode(self).serialized())
    let signed = "\(Canary.marker).\(claims)"
    return "\(signed).\(Base64URL.encode(HMAC.sha256(key: key, message: Array(signed.utf8))))"
  }

  /// Why a text is no token of this server.
  enum Failure: Error, Equatable {
    case malformed, forged
  }

  /// Opens a token; its expiry is the caller's to check.
  static func open(_ text: String, key: [UInt8]) throws(Failure) -> AccessToken {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, parts[0] == Canary.marker, let claims = Base64URL.decode(parts[1]),
      let seal = Base64URL.decode(parts[2])
    else { throw .malformed }
    let expected = HMAC.sha256(key: key, message: Array("\(parts[0]).\(parts[1])".utf8))
    guard ConstantTime.equal(seal, expected) else { throw .forged }
    do {
      return try JSONValueDecoder().decode(AccessToken.self, from: JSONParser.parse(claims))
    } catch {
      throw .malformed
    }
  }

  /// The audience of a PDS at an origin: `did:web` of its host, a port's colon as `%3A`.
  static func audience(of pds: URL) -> String {
    let port = pds.port.map { "%3A\($0)" } ?? ""
    return "did:web:\(pds.host() ?? "")\(port)"
  }
}
