import OpenSSLCrypto
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
  let key = Secret([UInt8](repeating: 7, count: 32))
  let nonce = [UInt8](repeating: 1, count: 12)

  @Test("opens what it sealed, an empty text and empty associated data included")
  func roundTrip() throws {
    for length in [0, 1, 15, 16, 17, 10_000] {
      for data in [[], [UInt8]("did:plc:a".utf8)] {
        let text = [UInt8](repeating: 0x5a, count: length)
        let sealed = try AES256GCM.seal(text, key: key, nonce: nonce, associatedData: data)
        #expect(sealed.count == length + AES256GCM.tagLength)
        let opened = try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: data)
        #expect(opened.reveal() == text)
      }
    }
  }

  @Test("refuses every single flipped bit, another key, nonce or associated data, and short input")
  func refuses() throws {
    let text = [UInt8]("refresh-token".utf8)
    let sealed = try AES256GCM.seal(text, key: key, nonce: nonce, associatedData: [1])
    for index in sealed.indices {
      for bit in 0..<8 {
        var altered = sealed
        altered[index] ^= 1 << bit
        #expect(throws: CryptoError.authenticationFailed) {
          try AES256GCM.open(altered, key: key, nonce: nonce, associatedData: [1])
        }
      }
    }
    let otherKey = Secret([UInt8](repeating: 8, count: 32))
    let otherNonce = [UInt8](repeating: 2, count: 12)
    let attempts: [([UInt8], Secret, [UInt8], [UInt8])] = [
      (sealed, otherKey, nonce, [1]), (sealed, key, otherNonce, [1]), (sealed, key, nonce, [2]),
      (sealed, key, nonce, []), (Array(sealed.dropLast()), key, nonce, [1]), ([], key, nonce, [1]),
    ]
    for (bytes, key, nonce, data) in attempts {
      #expect(throws: CryptoError.authenticationFailed) {
        try AES256GCM.open(bytes, key: key, nonce: nonce, associatedData: data)
      }
    }
  }

  @Test("refuses keys and nonces of another length instead of padding or cutting them")
  func lengths() {
    for count in [0, 16, 31, 33] {
      #expect(throws: CryptoError.invalidKey) {
        let short = Secret([UInt8](repeating: 7, count: count))
        _ = try AES256GCM.seal([1], key: short, nonce: nonce, associatedData: [])
      }
    }
    for count in [0, 11, 13, 16] {
      #expect(throws: CryptoError.invalidNonce) {
        let other = [UInt8](repeating: 1, count: count)
        _ = try AES256GCM.open(
          [UInt8](repeating: 0, count: 20), key: key, nonce: other, associatedData: [])
      }
    }
  }

  @Test("HKDF refuses a length of zero")
  func emptyKey() {
    #expect(throws: CryptoError.invalidLength) {
      try HKDF.sha256(input: key, salt: [], info: [], length: 0)
    }
  }
}
