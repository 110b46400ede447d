import OpenSSLCrypto
import Testing

@Suite("Digests and message authentication")
struct DigestTests {
  @Test(
    "SHA-256 gives the published values (FIPS 180-4 examples)",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256(message: String, digest: String) {
    #expect(Digest.sha256(message.utf8) == hex(digest))
    #expect(Digest.sha256(Array(message.utf8)) == hex(digest))
    #expect(Digest.sha256(Secret(text: message)) == hex(digest))
    #expect(Digest.sha256(message.utf8.lazy.map { $0 }) == hex(digest), "not contiguous")
  }

  @Test("a file read in pieces has the digest of the whole, wherever it is cut")
  func stream() {
    let message = [UInt8]((0..<1000).map { UInt8($0 % 251) })
    for size in [1, 7, 64, 999, 1000] {
      let stream = SHA256Stream()
      var rest = message[...]
      while !rest.isEmpty {
        stream.update(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(stream.finish() == Digest.sha256(message))
    }
  }

  @Test("a stream may go on after its digest was taken")
  func streamGoesOn() {
    let stream = SHA256Stream()
    #expect(stream.finish() == Digest.sha256([]))
    stream.update(Array("ab".utf8))
    #expect(stream.finish() == Digest.sha256("ab".utf8))
    stream.update("c".utf8.lazy.map { $0 } as LazyMapCollection)
    #expect(stream.finish() == Digest.sha256("abc".utf8))
  }

  @Test(
    "HMAC-SHA-256 gives the published values (RFC 4231), an empty key included",
    arguments: [
      (
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        "4a656665", "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        String(repeating: "aa", count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
  func hmac(key: String, message: String, code: String) {
    #expect(HMAC.sha256(key: hex(key), message: Array(message.utf8)) == hex(code))
  }
}
