import OpenSSLCrypto
import Testing

@Suite("P-256 keys")
struct P256Tests {
  let message = [UInt8]("header.payload".utf8)

  @Test("a signature verifies with its own key and message only")
  func signs() throws {
    let key = P256PrivateKey.generate()
    let signature = try key.signature(for: message)
    #expect(signature.count == 64)
    #expect(key.publicKey.isValidSignature(signature, for: message))
    #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
    #expect(!P256PrivateKey.generate().publicKey.isValidSignature(signature, for: message))
  }

  @Test("five hundred signatures are all 64 bytes, valid and low-S")
  func manySignatures() throws {
    // Short r or s (1 in 128) must be padded, high s (1 in 2) complemented.
    let key = P256PrivateKey.generate()
    for index in 0..<500 {
      let message = [UInt8]("message \(index)".utf8)
      let signature = try key.signature(for: message)
      #expect(signature.count == 64)
      #expect(P256Signature.hasLowS(signature))
      #expect(key.publicKey.isValidSignature(signature, for: message))
    }
  }

  @Test("a key made from its stored bytes is the same key")
  func storedKey() throws {
    let key = P256PrivateKey.generate()
    let again = try P256PrivateKey(rawRepresentation: key.rawRepresentation)
    #expect(again.publicKey == key.publicKey)
    #expect(key.rawRepresentation.count == 32)
    let signature = try again.signature(for: message)
    #expect(key.publicKey.isValidSignature(signature, for: message))
    #expect(P256PrivateKey.generate().publicKey != key.publicKey)
  }

  @Test("the public point of a known scalar is the published one (RFC 6979 A.2.5)")
  func knownPoint() throws {
    let scalar = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    let key = try P256PrivateKey(rawRepresentation: Secret(scalar)).publicKey
    #expect(key.x == hex("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"))
    #expect(key.y == hex("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
    let signature = hex(
      "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
        + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
    #expect(key.isValidSignature(signature, for: Array("sample".utf8)))
    #expect(!P256Signature.hasLowS(signature), "the published signature happens to be high")
  }

  @Test(
    "stored bytes that are no scalar are refused",
    arguments: [
      "", "00", String(repeating: "00", count: 32), String(repeating: "ff", count: 32),
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
      String(repeating: "01", count: 33),
    ])
  func badScalar(scalar: String) {
    #expect(throws: CryptoError.invalidKey) {
      try P256PrivateKey(rawRepresentation: Secret(hex(scalar)))
    }
  }

  @Test("a point off the curve, at infinity or of the wrong size is refused")
  func badPoint() {
    let key = P256PrivateKey.generate().publicKey
    var off = key.y
    off[31] ^= 1
    let attempts = [
      (key.x, off), (key.x, Array(key.y.dropLast())), ([0] + key.x, key.y), ([], []),
      ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)),
      ([UInt8](repeating: 0xff, count: 32), key.y),
    ]
    for (x, y) in attempts {
      #expect(throws: CryptoError.invalidKey) { try P256PublicKey(x: x, y: y) }
    }
  }

  @Test("a compressed point names the same key, and nothing else is taken for one")
  func compressed() throws {
    for _ in 0..<20 {  // both parities
      let key = P256PrivateKey.generate().publicKey
      let again = try P256PublicKey(compressedRepresentation: key.compressedRepresentation)
      #expect(again == key)
    }
    let bytes = P256PrivateKey.generate().publicKey.compressedRepresentation
    let attempts: [[UInt8]] = [
      [], bytes.dropLast(), [4] + bytes.dropFirst(), [0], bytes + [0],
    ]
    for wrong in attempts {
      #expect(throws: CryptoError.invalidKey) {
        try P256PublicKey(compressedRepresentation: wrong)
      }
    }
  }

  @Test("several threads may sign with one key at once")
  func threads() async throws {
    let key = P256PrivateKey.generate()
    let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
      for worker in 0..<4 {
        group.addTask {
          try (0..<100).allSatisfy { index in
            let message = [UInt8]("\(worker)/\(index)".utf8)
            return key.publicKey.isValidSignature(try key.signature(for: message), for: message)
          }
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(valid)
  }
}
