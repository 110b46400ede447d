import StrictJSON
import Testing

@testable import SchemaTools

@Suite("The linter passes the schemas as they are, and finds each single thing out of order")
struct LintTests {
  /// A bundle spoiled in one place, and words of what must be said.
  struct Spoiled: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let edit: Edit

    init(_ name: String, _ words: String, _ edit: Edit) {
      testDescription = name
      self.words = words
      self.edit = edit
    }
  }

  private static let login = "v1/models/login.json"
  private static let start = "v1/intents/login.start.json"
  private static let callback = "v1/intents/login.callback.json"
  private static let manifest = "v1/manifest.json"
  private static let errors = "v1/errors.json"
  private static let state = "/$defs/state/properties"
  private static let object: JSONValue = ["type": "object", "properties": [:]]

  static let spoiled: [Spoiled] = [
    Spoiled(
      "an $id names its file", "$id is not",
      .put("/$id", "https://example.com/login.json", in: login)),
    Spoiled(
      "one dialect", "dialect",
      .put("/$schema", "http://json-schema.org/draft-07/schema", in: login)),
    Spoiled("a type there is", "is no schema", .put("\(state)/handle/type", "text", in: login)),
    Spoiled(
      "a pattern that compiles", "is no schema",
      .put("\(state)/handle/pattern", "(", in: login)),
    Spoiled(
      "only known keywords at the root", "title is not in the grain profile",
      .put("/title", "Login", in: login)),
    Spoiled(
      "what comes before any agreement is open", "comes before any agreement and is closed",
      .put("/$defs/client/additionalProperties", false, in: "v1/protocol/initialize.params.json")),
    Spoiled(
      "an object has a name", "named $defs entry",
      .put("\(state)/handle", object, in: login)),
    Spoiled(
      "an object in a list has a name", "named $defs entry",
      .put("\(state)/can", ["type": "array", "items": object], in: login)),
    Spoiled(
      "a reference leads somewhere", "leads nowhere",
      .put("\(state)/can", ["$ref": "#/$defs/cann"], in: login)),
    Spoiled(
      "an integer has a maximum", "minimum and a maximum",
      .remove("/$defs/media/properties/width/maximum", in: "v1/common/media.json")),
    Spoiled(
      "an integer fits a double", "minimum and a maximum",
      .put(
        "/$defs/media/properties/width/maximum", 9_007_199_254_740_992,
        in: "v1/common/media.json")),
    Spoiled(
      "branches differ by a constant", "no const tag",
      .put("/$defs/viaCore/properties/via/const", "shell", in: "v1/effects/auth.present.json")),
    Spoiled(
      "the constant is required", "no const tag",
      .put("/$defs/viaShell/required", ["scheme"], in: "v1/effects/auth.present.json")),
    Spoiled(
      "params are closed", "not closed",
      .remove("/$defs/params/additionalProperties", in: start)),
    Spoiled(
      "what params hold is closed", "not closed",
      .remove("/$defs/location/additionalProperties", in: "v1/intents/gallery.setDetails.json")),
    Spoiled(
      "a state is open", "is closed",
      .put("/$defs/state/additionalProperties", false, in: login)),
    Spoiled(
      "what a state holds is open", "is closed",
      .put("/$defs/suggestion/additionalProperties", false, in: login)),
    Spoiled(
      "a shell's answer is closed", "not closed",
      .remove("/$defs/result/additionalProperties", in: "v1/effects/url.open.json")),
    Spoiled(
      "nothing travels both ways", "travels both ways",
      .put(
        "/$defs/params/properties/provider",
        ["$ref": "../common/media.json#/$defs/media"], in: start)),
    Spoiled(
      "a collection has its order", "Order is missing",
      .remove("\(state)/suggestionOrder", in: login)),
    Spoiled(
      "an order is a list of keys", "array of keys",
      .put("\(state)/suggestionOrder/type", "string", in: login)),
    Spoiled(
      "an order goes with its map", "required together",
      .put(
        "/$defs/state/required", ["status", "phase", "can", "handle", "suggestion"],
        in: login)),
    Spoiled(
      "what is required is described", "not described",
      .put("/$defs/params/required", ["mode"], in: start)),
    Spoiled(
      "what is retired stays so", "retired",
      .put("/$defs/state/x-grain-reserved", ["handle"], in: login)),
    Spoiled(
      "a feature is in the manifest", "no feature",
      .put("/$defs/params/x-grain-feature", "login.fast", in: start)),
    Spoiled(
      "a callback URL is marked", "named like a secret",
      .remove("/$defs/params/properties/callbackUrl/x-grain-sensitive", in: callback)),
    Spoiled(
      "a mark says what it is", "x-grain-sensitive is one of",
      .put("/$defs/params/properties/callbackUrl/x-grain-sensitive", "yes", in: callback)),
    Spoiled(
      "a mark has a reason", "gives the reason",
      .remove("/$defs/params/properties/callbackUrl/description", in: callback)),
    Spoiled(
      "only the fields the protocol names carry a secret", "the protocol names",
      .put(
        "/$defs/params/properties/handle/x-grain-sensitive", "secret",
        in: "v1/intents/login.submitHandle.json")),
    Spoiled(
      "no state carries a secret", "a secret, and it goes to the shell",
      .put("\(state)/handle/x-grain-sensitive", "secret", in: login)),
    Spoiled(
      "the manifest lists every file", "listed nowhere",
      .remove("/models/drafts", in: manifest)),
    Spoiled(
      "every listed file is there", "is missing",
      .put("/models/feed", ["schema": "v1/models/feed.json"], in: manifest)),
    Spoiled("an intent has a result", "has no result", .remove("/$defs/result", in: start)),
    Spoiled(
      "served is false or left out", "served of login",
      .put("/models/login/served", true, in: manifest)),
    Spoiled(
      "a code lies in a block", "outside both blocks", .put("/errors/30/code", 42, in: errors)),
    Spoiled(
      "a sentence lists what it mentions", "does not list",
      .put("/errors/30/message/fallback", "Ask {someone}.", in: errors)),
    Spoiled(
      "a message key is one kind's", "key of two kinds",
      .put("/errors/30/message/key", "network.tls", in: errors)),
    Spoiled(
      "a kind looks like one", "does not look as", .put("/errors/30/kind", "net-work", in: errors)),
    Spoiled(
      "an intent looks like one", "does not look as",
      .put("/intents/login_start", ["schema": "v1/intents/login.start.json"], in: manifest)),
    Spoiled(
      "a kind is listed once", "listed twice",
      .put("/errors/30/kind", "network.tls", in: errors)),
  ]

  @Test("the schemas of this repository are in order")
  func clean() throws { #expect(SchemaLinter(try Bundles.repository()).findings() == []) }

  @Test("what is out of order is found", arguments: spoiled)
  func found(_ spoiled: Spoiled) throws {
    let found = SchemaLinter(try Bundles.repository([spoiled.edit])).findings()
    #expect(found.contains { $0.contains(spoiled.words) }, "\(found)")
  }

  @Test(
    "keywords outside the grain profile are refused",
    arguments: ["allOf", "anyOf", "not", "patternProperties", "title", "default"])
  func profile(keyword: String) throws {
    let edit = Edit.put("\(Self.state)/handle/\(keyword)", "x", in: Self.login)
    let found = SchemaLinter(try Bundles.repository([edit])).findings()
    #expect(found.map { $0.contains("\(keyword) is not in the grain profile") } == [true])
  }

  @Test(
    "a text named like a secret is marked, with a reason (§10)",
    arguments: [
      "accessToken", "clientSecret", "codeVerifier", "password", "cookieJar", "code",
      "authorization", "callbackUrl", "privateKey", "jwk", "dpopProof", "nonce", "state",
    ])
  func secretNames(name: String) throws {
    let edit = Edit.put("\(Self.state)/\(name)", ["type": "string"], in: Self.login)
    let found = SchemaLinter(try Bundles.repository([edit])).findings()
    #expect(found.map { $0.contains("named like a secret") } == [true])
  }

  @Test("names that only resemble one, and what is no text, are left alone")
  func innocentNames() throws {
    let edits = [
      Edit.put("\(Self.state)/userCode2", ["type": "string"], in: Self.login),
      Edit.put("\(Self.state)/tokens", ["type": "boolean"], in: Self.login),
    ]
    #expect(SchemaLinter(try Bundles.repository(edits)).findings() == [])
  }

  @Test("every field the protocol lets carry a secret is there and marked so (§10)")
  func carriers() throws {
    let tree = try Bundles.repository()
    for carrier in SecretRule.carriers {
      #expect(tree.place(carrier)?.schema["x-grain-sensitive"] == "secret", "\(carrier)")
    }
  }
}
