import OpenSSLCrypto
import Testing

@testable import Sandbox

@Suite struct MultiKeyTests {
  @Test(
    "base58 is written and read as Bitcoin does",
    arguments: [
      ("Hello World!", "2NEpo7TZRRrLZSi2U"), ("", ""), ("\0\0a", "112g"),
      (
        "The quick brown fox jumps over the lazy dog.",
        "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"
      ),
    ])
  func base58(text: String, encoded: String) {
    #expect(Base58.encode(Array(text.utf8)) == encoded)
    #expect(Base58.decode(encoded) == Array(text.utf8))
  }

  @Test("characters left out of the alphabet are refused", arguments: ["0", "O", "I", "l", "é"])
  func base58Alphabet(text: String) {
    #expect(Base58.decode(text) == nil)
  }

  @Test(
    "published P-256 did:keys are read and written back",
    arguments: [
      "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
      "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
    ])
  func didKeys(text: String) throws {
    let key = try #require(MultiKey.read(text))
    #expect(MultiKey.didKey(key) == text)
    #expect(MultiKey.read(MultiKey.multibase(key)) == key)
  }

  @Test(
    "a key of another curve, and one cut short, is no key",
    arguments: [
      "did:key:zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N", "zDnaerDaTF5BXEavCrfRZEk31", "",
      "z",
      "did:key:xDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
    ])
  func otherKeys(text: String) {
    #expect(MultiKey.read(text) == nil)
  }
}
