import JOSE
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("Compact JWS")
struct CompactJWSTests {
  @Test("a DPoP proof made by another implementation verifies with the key in its header")
  func publishedProof() throws {
    let proof = try CompactJWS(parsing: Published.proof)
    let key = try JWK(json: #require(proof.header["jwk"]))
    #expect(key.thumbprint == Published.thumbprint)
    #expect(proof.header["typ"] == "dpop+jwt")
    #expect(proof.isSigned(by: key.publicKey))
    let claims = try proof.claims()
    #expect(claims["htm"] == "GET")
    #expect(claims["htu"] == "https://pds.example.net/xrpc/com.atproto.server.getSession")
    #expect(claims["iat"] == 1_767_225_600)
    #expect(claims["nonce"] == "bm9uY2UtMQ")
    let token = "eyJ0eXAiOiJhdCtqd3QifQ.e30.c2ln"
    #expect(claims["ath"] == .string(Base64URL.encode(Digest.sha256(token.utf8))))
  }

  @Test("the private half of the published key signs for its public half")
  func publishedPrivateKey() throws {
    let scalar = try #require(Base64URL.decode(Published.scalar))
    let key = try P256PrivateKey(rawRepresentation: Secret(scalar))
    #expect(JWK(key.publicKey).json == Published.jwk)
  }

  @Test("the example of RFC 7515 A.3 verifies")
  func rfcExample() throws {
    let jws = try CompactJWS(
      parsing: "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9"
        + "leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfT"
        + "jDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    let jwk = try JWK(json: [
      "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ])
    #expect(jws.isSigned(by: jwk.publicKey))
    #expect(try jws.claims()["iss"] == "joe")
  }

  @Test("what we sign verifies, and keeps header and claims as they were given")
  func signs() throws {
    let key = P256PrivateKey.generate()
    let header: JSONObject = [
      "typ": "dpop+jwt", "alg": "ES256", "jwk": .object(JWK(key.publicKey).json),
    ]
    let text = try CompactJWS.sign(
      header: header, claims: ["htu": "https://a.test/x", "iat": 1], key: key)
    let jws = try CompactJWS(parsing: text)
    #expect(jws.isSigned(by: key.publicKey))
    #expect(jws.header == header)
    #expect(jws.header.members.map(\.key) == ["typ", "alg", "jwk"])
    #expect(String(decoding: jws.payload, as: UTF8.self) == #"{"htu":"https://a.test/x","iat":1}"#)
    #expect(jws.signature.count == 64)
  }

  @Test("another key, header, payload or signature does not verify")
  func tampered() throws {
    let key = P256PrivateKey.generate()
    let text = try CompactJWS.sign(header: ["alg": "ES256"], claims: ["sub": "a"], key: key)
    #expect(try !CompactJWS(parsing: text).isSigned(by: P256PrivateKey.generate().publicKey))
    let parts = text.split(separator: ".").map(String.init)
    let otherHeader = Base64URL.encode(#"{"alg":"ES256","kid":"1"}"#.utf8)
    let otherPayload = Base64URL.encode(#"{"sub":"b"}"#.utf8)
    var otherSignature = try #require(Base64URL.decode(parts[2]))
    otherSignature[63] ^= 1
    for altered in [
      [otherHeader, parts[1], parts[2]], [parts[0], otherPayload, parts[2]],
      [parts[0], parts[1], Base64URL.encode(otherSignature)], [parts[0], parts[1], ""],
      [parts[0], parts[1], Base64URL.encode(otherSignature.dropLast())],
    ] {
      let jws = try CompactJWS(parsing: altered.joined(separator: "."))
      #expect(!jws.isSigned(by: key.publicKey))
    }
  }

  @Test(
    "a header that asks for another algorithm or an unknown extension is not believed",
    arguments: [
      #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"es256"}"#, #"{}"#, #"{"alg":1}"#,
      #"{"alg":"ES256","crit":["exp"],"exp":1}"#, #"{"alg":"ES256","crit":[]}"#,
    ])
  func otherAlgorithms(header: String) throws {
    let key = P256PrivateKey.generate()
    let input = "\(Base64URL.encode(header.utf8)).e30"
    let signature = try Base64URL.encode(key.signature(for: Array(input.utf8)))
    let jws = try CompactJWS(parsing: "\(input).\(signature)")
    #expect(!jws.isSigned(by: key.publicKey))
    let parsed = try #require(JSONParser.parse(Array(header.utf8)).objectValue)
    #expect(throws: JOSEError.unsupported) {
      try CompactJWS.sign(header: parsed, payload: [], key: key)
    }
  }

  @Test(
    "a text that is not three strict parts is malformed",
    arguments: [
      "", ".", "..", "a.b", "e30.e30", "e30.e30.e30.e30", "e30.e30.c2ln.", "e30=.e30.c2ln",
      "e30.e30 .c2ln", " e30.e30.c2ln", "bnVsbA.e30.c2ln", "W10.e30.c2ln", "e30.e30.c2l",
      "eyJhIjoxLCJhIjoyfQ.e30.c2ln", "e3", "ew.e30.c2ln",
    ])
  func malformed(text: String) {
    #expect(throws: JOSEError.malformed) { try CompactJWS(parsing: text) }
  }

  @Test("claims are a JSON object", arguments: ["", "null", "[]", "1", #"{"a":1,"a":1}"#, "{"])
  func badClaims(payload: String) throws {
    let key = P256PrivateKey.generate()
    let text = try CompactJWS.sign(
      header: ["alg": "ES256"], payload: Array(payload.utf8), key: key)
    #expect(throws: JOSEError.invalidClaims) { try CompactJWS(parsing: text).claims() }
  }
}
