import HTTPTransport
import Testing

@Suite("Words that came from a server")
struct ServerTextTests {
  @Test(
    "control characters and markup of terminals cannot act, lines become one (FB-B5)",
    arguments: [
      ("No\nthanks\u{1b}[31m", "No thanks [31m"), ("a\u{202E}b\u{0}c", "a b c"),
      ("  spaced   out ", "spaced out"), ("Grüße, 日本 👍", "Grüße, 日本 👍"), ("", ""),
    ])
  func oneLine(text: String, line: String) {
    #expect(ServerText.clean(text, limit: 100) == line)
  }

  @Test("what must stay hidden is hidden, short words are not taken for secrets (FB-A34)")
  func hidden() {
    #expect(
      ServerText.clean("token ref-12345678 bad", hiding: ["ref-12345678", "bad"], limit: 100)
        == "token … bad")
  }

  @Test("a long text is cut")
  func cut() {
    #expect(ServerText.clean("abcdefgh", limit: 5) == "abcd…")
    #expect(ServerText.clean("abcde", limit: 5) == "abcde")
  }
}
