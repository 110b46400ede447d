import OpenSSLCrypto

/// A content identifier: what some bytes are, and their SHA-256.
///
/// Only the form atproto uses: version 1, codec `raw` (blobs) or `dag-cbor` (records), written in
/// base32 (`bafkrei…`, `bafyrei…`). Source: atproto data model; multiformats CID.
package struct CID: SyntaxText {
  /// What the hashed bytes are.
  package enum Codec: UInt8, Sendable {
    case raw = 0x55
    case dagCBOR = 0x71
  }

  /// How the content is encoded.
  package let codec: Codec
  /// SHA-256 of the content, 32 bytes.
  package let digest: [UInt8]

  /// Reads the textual form.
  package init(_ text: String) throws(SyntaxError) {
    guard text.hasPrefix("b"), let bytes = Base32.decode(text.dropFirst().utf8)
    else { throw .malformed(.cid, text) }
    guard let cid = CID(bytes: bytes) else { throw .malformed(.cid, text) }
    self = cid
  }

  /// Reads the binary form (36 bytes); `nil` unless it is the form above.
  package init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 36, bytes[0] == 1, let codec = Codec(rawValue: bytes[1]),
      bytes[2] == 0x12, bytes[3] == 32
    else { return nil }
    self.codec = codec
    digest = Array(bytes[4...])
  }

  /// Names a blob by its bytes.
  package init(rawSHA256 bytes: some Sequence<UInt8>) {
    codec = .raw
    digest = Digest.sha256(bytes)
  }

  /// Names a record by its DAG-CBOR encoding.
  package init(dagCBOR bytes: some Sequence<UInt8>) {
    codec = .dagCBOR
    digest = Digest.sha256(bytes)
  }

  /// Names content whose SHA-256 is already known, such as a file hashed while it was read.
  package init?(_ codec: Codec, digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    self.codec = codec
    self.digest = digest
  }

  /// The binary form: version, codec, hash function, length, digest.
  package var bytes: [UInt8] { [1, codec.rawValue, 0x12, 32] + digest }

  /// In base32, with the multibase prefix `b`.
  package var rawValue: String { "b" + Base32.encode(bytes) }
}
