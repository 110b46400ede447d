import JOSE
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("JSON web keys")
struct JWKTests {
  @Test("the thumbprint of a known key is the known one")
  func thumbprint() throws {
    #expect(try JWK(json: .object(Published.jwk)).thumbprint == Published.thumbprint)
  }

  @Test("a key of ours has exactly the four public members, in the usual order")
  func members() throws {
    let json = JWK(P256PrivateKey.generate().publicKey).json
    #expect(json.members.map(\.key) == ["kty", "crv", "x", "y"])
    #expect(json["x"]?.stringValue?.count == 43)
    #expect(json["y"]?.stringValue?.count == 43)
  }

  @Test("what we write is read back as the same key")
  func roundTrip() throws {
    for _ in 0..<300 {  // one coordinate in 256 begins with a zero byte, which must stay
      let key = P256PrivateKey.generate().publicKey
      #expect(try JWK(json: .object(JWK(key).json)) == JWK(key))
    }
  }

  @Test("a key that carries its secret half is refused, and says why", arguments: ["d", "k", "p"])
  func privateMember(name: String) {
    var json = Published.jwk
    json[name] = "MMRzR3iLqqCbItujk_C75RyfLkgGv5xOrNP6IgAa0Xk"
    #expect(throws: JOSEError.privateKey) { try JWK(json: .object(json)) }
  }

  @Test("members that restrict the key to what we do, or merely name it, are fine")
  func extraMembers() throws {
    var json = Published.jwk
    json["kid"] = "1"
    json["alg"] = "ES256"
    json["use"] = "sig"
    #expect(try JWK(json: .object(json)).thumbprint == Published.thumbprint)
  }

  @Test(
    "anything that is not a public P-256 key for ES256 is refused",
    arguments: [
      ("kty", "RSA"), ("kty", nil), ("kty", 1), ("crv", "P-384"), ("crv", "secp256k1"),
      ("crv", nil), ("x", nil), ("y", nil), ("x", ""), ("x", "AA"), ("x", 7), ("alg", "ES256K"),
      ("alg", .null), ("use", "enc"), ("y", "J_8tn546zIZxLdZYkWpmOK_f3sUjmHrfbfMYeEdb2Bw"),
      ("y", "J_8tn546zIZxLdZYkWpmOK_f3sUjmHrfbfMYeEdb2Bs="),
      ("x", "AFK_VO-6csddOqeU3MljxP8VilIQkuSkMEe4bPO8rc16"),
    ] as [(String, JSONValue?)])
  func refuses(name: String, value: JSONValue?) {
    var json = Published.jwk
    json[name] = value
    #expect(throws: JOSEError.invalidKey) { try JWK(json: .object(json)) }
  }

  @Test("a key is a JSON object", arguments: [.null, "EC", [1]] as [JSONValue])
  func notAnObject(json: JSONValue) {
    #expect(throws: JOSEError.invalidKey) { try JWK(json: json) }
  }
}
