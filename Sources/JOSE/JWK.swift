package import OpenSSLCrypto
package import StrictJSON

/// A public P-256 key in JSON (RFC 7517, RFC 7518 §6.2).
package struct JWK: Sendable, Equatable {
  /// The key itself.
  package let publicKey: P256PublicKey

  /// The JSON form of a key we hold.
  package init(_ key: P256PublicKey) {
    publicKey = key
  }

  /// A key that somebody sent.
  ///
  /// Further members, such as `kid`, are allowed and not kept.
  /// - Throws: `JOSEError.privateKey` where a secret member is present, whatever the rest;
  ///   `JOSEError.invalidKey` unless it is `EC`, `P-256`, with coordinates of 32 bytes on the curve
  ///   and, where they are given, an `alg` of `ES256` and a `use` of `sig`.
  package init(json: JSONValue) throws(JOSEError) {
    guard let members = json.objectValue else { throw .invalidKey }
    guard Self.secretMembers.allSatisfy({ members[$0] == nil }) else { throw .privateKey }
    guard members["kty"]?.stringValue == "EC", members["crv"]?.stringValue == "P-256",
      members["alg"].map({ $0.stringValue == "ES256" }) ?? true,
      members["use"].map({ $0.stringValue == "sig" }) ?? true,
      let x = members["x"]?.stringValue.flatMap({ Base64URL.decode($0) }),
      let y = members["y"]?.stringValue.flatMap({ Base64URL.decode($0) })
    else { throw .invalidKey }
    do {
      publicKey = try P256PublicKey(x: x, y: y)
    } catch {
      throw .invalidKey
    }
  }

  /// `kty`, `crv`, `x`, `y` and nothing else.
  package var json: JSONObject {
    [
      "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(publicKey.x)),
      "y": .string(Base64URL.encode(publicKey.y)),
    ]
  }

  /// The SHA-256 of the required members in alphabetical order (RFC 7638), base64url: DPoP's `jkt`.
  package var thumbprint: String {
    let x = Base64URL.encode(publicKey.x)
    let y = Base64URL.encode(publicKey.y)
    return Base64URL.encode(
      Digest.sha256(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8))
  }

  /// The private members of every key type (RFC 7518 §§6.2.2, 6.3.2, 6.4.1).
  private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
}
