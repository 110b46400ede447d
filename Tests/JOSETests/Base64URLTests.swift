import JOSE
import Testing

@Suite("Base64url")
struct Base64URLTests {
  @Test(
    "writes the published values without padding (RFC 4648 §10)",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
      ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
  func published(plain: String, text: String) {
    #expect(Base64URL.encode(plain.utf8) == text)
    #expect(Base64URL.decode(text) == Array(plain.utf8))
  }

  @Test("uses the two characters that are safe in a URL")
  func alphabet() {
    #expect(Base64URL.encode([0xff, 0xff, 0xff]) == "____")
    #expect(Base64URL.encode([0xfb, 0xef, 0xbe]) == "----")
  }

  @Test("gives back every byte at every place")
  func roundTrip() {
    for length in 0..<40 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 89 + length) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
    let all = (0...255).map { UInt8($0) }
    #expect(Base64URL.decode(Base64URL.encode(all)) == all)
  }

  @Test(
    "refuses everything another writer could have meant",
    arguments: [
      "Zg==", "Zm8=", "Zm9v=", "+A", "/A", "Zm9 v", "Zm9v\n", " Zm9v", "A", "AAAAA", "Zé", "Zm9v.",
      "Zm\u{0}v", "=", "Zm9v%3D",
    ])
  func refuses(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test(
    "refuses left-over bits, so that one value has one spelling", arguments: ["Zh", "Zm9", "__"])
  func leftOver(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
