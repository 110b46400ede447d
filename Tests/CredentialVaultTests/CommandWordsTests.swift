import Testing

@testable import CredentialVault

@Suite("A key command's words")
struct CommandWordsTests {
  @Test(
    "blanks separate words; quotes and backslashes keep them together",
    arguments: [
      ("pass show grain", ["pass", "show", "grain"]),
      ("  pass\t show \n", ["pass", "show"]),
      ("cat '/a b/c'", ["cat", "/a b/c"]),
      (#"cat "/a b/c""#, ["cat", "/a b/c"]),
      (#"cat /a\ b/c"#, ["cat", "/a b/c"]),
      (#"say "a \"b\" \\ \n c""#, ["say", #"a "b" \ \n c"#]),
      (#"say 'a \ " b'"#, ["say", #"a \ " b"#]),
      ("say '' \"\" end", ["say", "", "", "end"]),
      ("sa'y it'\"now\"", ["say itnow"]),
      (#"say \'\""#, ["say", #"'""#]),
      ("sage für Ünï", ["sage", "für", "Ünï"]),
    ])
  func words(text: String, expected: [String]) throws {
    #expect(try CommandWords(text).words == expected)
  }

  @Test(
    "nothing else means anything",
    arguments: ["$HOME", "~", "*", "a|b", "a;b", "`a`", "$(a)", ">x", "&", "#x", "{a,b}", "!x"])
  func plain(word: String) throws {
    #expect(try CommandWords("echo \(word)").words == ["echo", word])
  }

  @Test(
    "what is no command is refused, and why",
    arguments: [
      ("", CommandWords.Fault.empty), ("  \t", .empty), ("'' x", .empty),
      ("a 'b", .openQuote("'")), (#"a "b"#, .openQuote("\"")), (#"a "b\""#, .openQuote("\"")),
      ("a \\", .openEscape),
    ])
  func faults(text: String, expected: CommandWords.Fault) {
    #expect(throws: expected) { try CommandWords(text) }
  }
}
