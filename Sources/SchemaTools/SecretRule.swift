import StrictJSON

/// The rule on secrets (bridge-protocol §10): a text that is named like a secret says whether it is
/// one, and only the fields the protocol names may carry one.
struct SecretRule {
  let tree: SchemaTree

  /// What a mark may say. `none` is for a name that only sounds like a secret; the description says
  /// what it is.
  private static let marks = ["none", "private", "secret"]

  /// The only fields of the whole protocol that may carry a secret, all from shell to core.
  static let carriers: Set<String> = [
    "v1/intents/login.callback.json#/$defs/params/properties/callbackUrl",
    "v1/intents/login.submitToken.json#/$defs/params/properties/token",
    "v1/intents/devices.setPush.json#/$defs/params/properties/token",
  ]

  /// What is wrong with one property of an object.
  func faults(of member: SchemaPlace, named name: String) -> [String] {
    let target = tree.target(of: member)?.schema
    let mark = tree.annotation("x-grain-sensitive", of: member)?.stringValue
    guard let mark else {
      let isText = target?.typeNames.contains("string") ?? false
      return isText && Self.soundsSecret(name)
        ? ["is named like a secret and is not annotated x-grain-sensitive"] : []
    }
    var found: [String] = []
    if !Self.marks.contains(mark) {
      found.append("x-grain-sensitive is one of \(Self.marks.joined(separator: ", "))")
    }
    if (tree.annotation("description", of: member)?.stringValue ?? "").isEmpty {
      found.append("x-grain-sensitive needs a description that gives the reason")
    }
    if mark == "secret", !Self.carriers.contains(member.name) {
      found.append("only an intent the protocol names may carry a secret (bridge-protocol §10)")
    }
    return found
  }

  /// Whether a name sounds like that of a secret.
  static func soundsSecret(_ name: String) -> Bool {
    let word = name.lowercased()
    return ["code", "state"].contains(word) || sounds.contains { word.contains($0) }
  }

  private static let sounds = [
    "token", "secret", "verifier", "passw", "cookie", "authoriz", "callback", "private", "jwk",
    "dpop", "nonce",
  ]
}
