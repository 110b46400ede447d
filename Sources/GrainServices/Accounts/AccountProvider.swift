/// Who an account is signed in with.
///
/// The raw values are the ones shells see and accounts are named by; one that is removed or renamed
/// would orphan stored accounts.
package enum AccountProvider: String, Codable, CaseIterable, Sendable {
  /// The account's own home server, over the AT Protocol.
  case grain
  /// One token at a Platrium service.
  case platrium
  /// Pixiv, over its mobile API.
  case pixiv
}
