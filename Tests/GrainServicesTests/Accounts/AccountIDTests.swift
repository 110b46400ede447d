import ATSyntax
import GrainServices
import StrictJSON
import Testing

@Suite("The names of accounts")
struct AccountIDTests {
  @Test(
    "an account is named by one string, which says who it is signed in with",
    arguments: [
      (AccountsWorld.alice.account, "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", AccountProvider.grain),
      (
        .platrium(authority: "Files.Example:8443", user: "u 1:2"),
        "platrium:files.example:8443:u%201%3A2", .platrium
      ),
      (.platrium(authority: "[::1]:9", user: "7"), "platrium:[::1]:9:7", .platrium),
      (.pixiv(user: "1234"), "pixiv:1234", .pixiv),
    ])
  func names(id: AccountID, text: String, provider: AccountProvider) throws {
    #expect(id.rawValue == text)
    #expect(id.provider == provider)
    #expect(AccountID(rawValue: text) == id)
    let written = try JSONValueEncoder().encode(id)
    #expect(written == .string(text))
    #expect(try JSONValueDecoder().decode(AccountID.self, from: written) == id)
  }

  @Test("only a Grain account is somebody in the AT Protocol")
  func identity() {
    #expect(AccountsWorld.alice.account.did == AccountsWorld.alice)
    #expect(AccountID.pixiv(user: "1").did == nil)
    #expect(AccountID.platrium(authority: "a.example", user: "1").did == nil)
  }

  @Test(
    "anything else is no account",
    arguments: [
      "", "did:", "did:x", "grain:did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "pixiv:", "pixiv:a b",
      "pixiv:1:2", "pixiv", "platrium:", "platrium:host", "platrium:host:", "platrium::1",
      "platrium:Host:1", "platrium:a@b:1", "other:1",
      "pixiv:" + String(repeating: "1", count: 3000),
    ])
  func others(text: String) {
    #expect(AccountID(rawValue: text) == nil)
    #expect(throws: (any Error).self) {
      try JSONValueDecoder().decode(AccountID.self, from: .string(text))
    }
  }
}
