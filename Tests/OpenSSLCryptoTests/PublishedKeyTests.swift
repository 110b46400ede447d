import Foundation
import GrainTestSupport
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("Published P-256 keys and signatures")
struct PublishedKeyTests {
  @Test(
    "atproto's published signatures are judged as it says: raw and low-S only",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func fixtures() throws {
    let bytes = [UInt8](try Data(contentsOf: SharedData.url("crypto/signature-fixtures.json")))
    let all = try JSONParser.parse(bytes).arrayValue ?? []
    let ours = all.filter { $0["algorithm"]?.stringValue == "ES256" }
    #expect(ours.count == 3, "the other \(all.count - ours.count) are K-256, which is not ours")
    for fixture in ours {
      let multibase = try #require(fixture["publicKeyMultibase"]?.stringValue)
      let key = try P256PublicKey(compressedRepresentation: base58(multibase.dropFirst()))
      let signature = unpadded(fixture["signatureBase64"]?.stringValue)
      let message = unpadded(fixture["messageBase64"]?.stringValue)
      let accepted =
        key.isValidSignature(signature, for: message) && P256Signature.hasLowS(signature)
      #expect(accepted == fixture["validSignature"]?.boolValue)
    }
  }

  @Test(
    "the W3C did:key example gives its published point",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func didKey() throws {
    let bytes = [UInt8](try Data(contentsOf: SharedData.url("crypto/w3c_didkey_P256.json")))
    let example = try #require(try JSONParser.parse(bytes).arrayValue?.first)
    let scalar = base58(try #require(example["privateKeyBytesBase58"]?.stringValue)[...])
    let key = try P256PrivateKey(rawRepresentation: Secret(scalar)).publicKey
    let didKey = try #require(example["publicDidKey"]?.stringValue)
    // 0x80 0x24 is the multicodec of a P-256 key.
    #expect(
      base58(didKey.dropFirst("did:key:z".count)) == [0x80, 0x24] + key.compressedRepresentation)
  }

  private func unpadded(_ text: String?) -> [UInt8] {
    let text = text ?? ""
    let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: padded).map { [UInt8]($0) } ?? []
  }

  private func base58(_ text: Substring) -> [UInt8] {
    let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    var bytes: [UInt8] = []
    for character in text {
      var carry = alphabet.firstIndex(of: character) ?? 0
      for index in bytes.indices.reversed() {
        carry += Int(bytes[index]) * 58
        bytes[index] = UInt8(carry & 0xff)
        carry >>= 8
      }
      if carry > 0 { bytes.insert(UInt8(carry), at: 0) }
    }
    return bytes
  }
}
