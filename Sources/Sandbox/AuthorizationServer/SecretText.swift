import SystemClients

/// The secrets a client is handed, in the reference server's lengths, the canary marker inside.
enum SecretText {
  /// `cod-` and 64 characters.
  static func newCode(_ random: SystemRandom) -> String { mint("cod-", random) }

  /// `ref-` and 64 characters.
  static func newRefreshToken(_ random: SystemRandom) -> String { mint("ref-", random) }

  /// The id of an access token; no secret.
  static func newTokenID(_ random: SystemRandom) -> String {
    "tok-" + Hex.text(random.bytes(16))
  }

  static func isCode(_ text: String) -> Bool { isSecret(text, "cod-") }

  static func isRefreshToken(_ text: String) -> Bool { isSecret(text, "ref-") }

  private static func mint(_ prefix: String, _ random: SystemRandom) -> String {
    let digits = Hex.text(random.bytes(32)).dropLast(Canary.marker.count)
    return prefix + Canary.marker + digits
  }

  private static func isSecret(_ text: String, _ prefix: String) -> Bool {
    text.utf8.count == 68 && text.hasPrefix(prefix)
  }
}
