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

  @Test(
    "a name stays what it is, emoji and all, but turns and breaks no line around it",
    arguments: [
      ("Ada", "Ada"), ("Ada\nLovelace\u{7}", "Ada Lovelace"), ("a\u{202E}b\u{2066}c", "a b c"),
      ("👩\u{200D}👩\u{200D}👧 Müller", "👩\u{200D}👩\u{200D}👧 Müller"), (" ", ""),
    ])
  func name(text: String, name: String) {
    #expect(ServerText.name(text) == name)
  }

  @Test("a name of any length ends, also one that is a single letter with marks without end")
  func endlessName() {
    #expect(ServerText.name(String(repeating: "x", count: 5000)).count == 256)
    #expect(
      ServerText.name("e" + String(repeating: "\u{301}", count: 5000)).unicodeScalars.count == 256)
  }
}
