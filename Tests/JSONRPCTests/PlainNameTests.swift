import JSONRPC
import Testing

@Suite("Which names of a stranger's making are repeated (§10)")
struct PlainNameTests {
  @Test(
    "what looks like a name out of a program is one",
    arguments: [
      "handle", "callbackUrl", "maxMessageBytes", "protocolVersions", "ifRevision", "_meta", "h3",
      "maxRateHz", "photo_count", "callbackURL", "userID", "Handle", "url.open", "auth.present",
      "galleryPublish",
    ])
  func names(name: String) {
    #expect(PlainName.fits(name))
  }

  @Test(
    "an address, a token, a password and an over-long word are none",
    arguments: [
      "", "https://x.test/cb?code=a", "social.grain:/callback", "code=abc", "a/b", "a b", "a\n",
      "ä",
      "eyJhbGciOiJFUzI1NiJ9", "abcd-efgh-ijkl-mnop", "hunter2hunter2", "mfrggzdfmztwq2lk",
      "mfrggzdfmztwqylk", "deadbeefdeadbeefdeadbeef", "Zm9vYmFyYmF6cXV4", "aBcDeFGhIjKl", "123456",
      "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "theQuickBrownFoxJumpsOver",
    ])
  func strangers(name: String) {
    #expect(!PlainName.fits(name))
  }

  @Test("methods are names with slashes between them, maybe after a dollar sign")
  func methods() {
    for name in ["login.start", "models/get", "$/cancelRequest", "$/test/advance", "ping"] {
      #expect(PlainName.fitsMethod(name), "\(name)")
    }
    for name in ["", "$", "$/", "/x", "x/", "a//b", "https://x.test/a", "models/get?code=1"] {
      #expect(!PlainName.fitsMethod(name), "\(name)")
    }
  }

  @Test(
    "of a hundred thousand random tokens of sixteen letters and digits at most a few get through")
  func tokens() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var random = SystemRandomNumberGenerator()
    let passed = (0..<100_000).count { _ in
      PlainName.fits(
        String((0..<16).map { _ in alphabet[Int.random(in: 0..<64, using: &random)] }))
    }
    #expect(passed < 1_000)
  }
}
