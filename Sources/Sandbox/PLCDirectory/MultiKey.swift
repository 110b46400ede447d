import OpenSSLCrypto

/// A P-256 public key as DID documents and `did:key` spell it: multicodec `p256-pub`, compressed
/// point, base58. The reference servers use secp256k1 here; both are allowed by atproto.
enum MultiKey {
  /// `zDn…`, the value of `publicKeyMultibase`.
  static func multibase(_ key: P256PublicKey) -> String {
    "z" + Base58.encode(prefix + key.compressedRepresentation)
  }

  /// `did:key:zDn…`, as PLC operations carry it.
  static func didKey(_ key: P256PublicKey) -> String { "did:key:" + multibase(key) }

  /// Reads either spelling; `nil` for another curve and for anything malformed.
  static func read(_ text: String) -> P256PublicKey? {
    let multibase = text.hasPrefix("did:key:") ? String(text.dropFirst(8)) : text
    guard multibase.hasPrefix("z"), let bytes = Base58.decode(multibase.dropFirst()),
      bytes.starts(with: prefix)
    else { return nil }
    // A point off the curve is as malformed as a wrong length.
    return try? P256PublicKey(compressedRepresentation: Array(bytes.dropFirst(prefix.count)))
  }

  /// The varint of multicodec 0x1200.
  private static let prefix: [UInt8] = [0x80, 0x24]
}
