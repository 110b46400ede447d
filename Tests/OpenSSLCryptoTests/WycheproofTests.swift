import Foundation
import GrainTestSupport
import OpenSSLCrypto
import StrictJSON
import Testing

/// The published vectors; what uses parameters we do not offer is counted, not run.
@Suite(
  "Wycheproof", .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
struct WycheproofTests {
  @Test("AES-256-GCM agrees with all 66 vectors of our key and nonce size; 250 others are not ours")
  func aesGCM() throws {
    var run = 0
    var skipped = 0
    for vector in try Vector.all("aes_gcm_test.json") {
      guard vector.group("keySize") == 256, vector.group("ivSize") == 96 else {
        skipped += 1
        continue
      }
      run += 1
      let sealed = vector.bytes("ct") + vector.bytes("tag")
      let key = Secret(vector.bytes("key"))
      let nonce = vector.bytes("iv")
      let data = vector.bytes("aad")
      if vector.isValid {
        let opened = try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: data)
        #expect(opened.reveal() == vector.bytes("msg"), vector.name)
        let again = try AES256GCM.seal(
          vector.bytes("msg"), key: key, nonce: nonce, associatedData: data)
        #expect(again == sealed, vector.name)
      } else {
        #expect(throws: CryptoError.authenticationFailed, vector.name) {
          try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: data)
        }
      }
    }
    #expect(run == 66)
    #expect(skipped == 250)
  }

  @Test("HKDF-SHA-256 agrees with all 86 vectors, and refuses an output that is too long")
  func hkdf() throws {
    var run = 0
    for vector in try Vector.all("hkdf_sha256_test.json") {
      run += 1
      let input = Secret(vector.bytes("ikm"))
      let salt = vector.bytes("salt")
      let info = vector.bytes("info")
      let length = vector.number("size")
      if vector.isValid {
        let derived = try HKDF.sha256(input: input, salt: salt, info: info, length: length)
        #expect(derived.reveal() == vector.bytes("okm"), vector.name)
      } else {
        #expect(throws: CryptoError.invalidLength, vector.name) {
          try HKDF.sha256(input: input, salt: salt, info: info, length: length)
        }
      }
    }
    #expect(run == 86)
  }

  @Test("P-256 accepts the 173 valid and refuses the 89 invalid signatures")
  func ecdsa() throws {
    var accepted = 0
    var refused = 0
    for vector in try Vector.all("ecdsa_secp256r1_sha256_p1363_test.json") {
      let point = vector.groupBytes("/publicKey/uncompressed")
      let key = try P256PublicKey(x: Array(point[1..<33]), y: Array(point[33...]))
      let valid = key.isValidSignature(vector.bytes("sig"), for: vector.bytes("msg"))
      #expect(valid == vector.isValid, vector.name)
      if valid { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted == 173)
    #expect(refused == 89)
  }
}

/// One test of a Wycheproof file with the group it stands in.
private struct Vector {
  let group: JSONValue
  let test: JSONValue

  static func all(_ file: String) throws -> [Vector] {
    let bytes = [UInt8](try Data(contentsOf: SharedData.url("crypto/\(file)")))
    let json = try JSONParser.parse(bytes)
    return (json["testGroups"]?.arrayValue ?? []).flatMap { group in
      (group["tests"]?.arrayValue ?? []).map { Vector(group: group, test: $0) }
    }
  }

  var isValid: Bool { test["result"]?.stringValue == "valid" }
  var name: Comment { "tcId \(test["tcId"]?.intValue ?? 0)" }
  func bytes(_ key: String) -> [UInt8] { hex(test[key]?.stringValue ?? "") }
  func number(_ key: String) -> Int { test[key]?.intValue ?? -1 }
  func group(_ key: String) -> Int? { group[key]?.intValue }
  func groupBytes(_ pointer: String) -> [UInt8] { hex(group[pointer: pointer]?.stringValue ?? "") }
}
