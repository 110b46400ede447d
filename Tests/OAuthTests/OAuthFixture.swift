import Foundation
import GrainTestSupport
import HTTPTransport
import JOSE
import OAuth
import OpenSSLCrypto
import StrictJSON
import SystemClients

/// What the tests of this room share: addresses, an environment, and a reader of proofs.
enum OAuthFixture {
  static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }

  static func json(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

  static func environment(_ clock: TestClock = TestClock()) -> DPoPEnvironment {
    DPoPEnvironment(clock: clock.clock, random: .seeded(7))
  }

  /// The claims of the proof a request carries, its signature checked.
  static func claims(of request: HTTPRequest) throws -> JSONObject {
    let proof = try CompactJWS(parsing: request.headers["DPoP"] ?? "")
    guard
      let jwk = proof.header["jwk"], proof.isSigned(by: try JWK(json: jwk).publicKey)
    else { throw CryptoError.authenticationFailed }
    return try proof.claims()
  }

  /// The fields of a request's form.
  static func form(of request: HTTPRequest) -> [String: String] {
    guard case .bytes(let body) = request.body, let pairs = FormURLEncoding.decode(body) else {
      return [:]
    }
    return Dictionary(pairs) { _, last in last }
  }

  /// A response with that nonce.
  static func challenge(
    _ error: String, status: Int = 400, nonce: String? = nil, date: String? = nil
  ) -> ScriptedHTTP.Answer {
    var headers: HTTPHeaders = [:]
    headers["DPoP-Nonce"] = nonce
    headers["Date"] = date
    return .json(#"{"error":"\#(error)"}"#, status: status, headers: headers)
  }
}
