package import OpenSSLCrypto

/// Whom to sign in.
package enum SignInTarget: Equatable, Sendable {
  /// What the person typed: a handle or a DID.
  case name(String)
  /// An account already in the list, at its own provider.
  case account(AccountID)
  /// An account already in the list, whose owner confirms its deletion (A45); whoever is active stays
  /// active.
  case deletion(AccountID)
  /// A new account, made at the sign-up server (G25).
  case newAccount
  /// Somebody at a Platrium service, in the browser; without a server the configured one, without a
  /// device as an app (P14).
  case platrium(server: String?, device: PlatriumDevice?)
  /// The owner of a token that was made by hand at a Platrium service (P25).
  case platriumToken(server: String?, token: Secret)
  /// Somebody at Pixiv, in a web view of the shell's.
  case pixiv

  /// Who is asked.
  package var provider: AccountProvider {
    switch self {
    case .name, .newAccount: .grain
    case .account(let account), .deletion(let account): account.provider
    case .platrium, .platriumToken: .platrium
    case .pixiv: .pixiv
    }
  }
}

/// What makes a Platrium client a device, which can get push (P6, P7).
package struct PlatriumDevice: Codable, Equatable, Sendable {
  /// Shown on the consent page and in the list of devices and apps.
  package let name: String
  /// `IOS`, `MACOS`, `ANDROID`, …; an open set.
  package let platform: String
  /// The version of the app on it.
  package let appVersion: String?

  /// A device by its parts.
  package init(name: String, platform: String, appVersion: String? = nil) {
    self.name = name
    self.platform = platform
    self.appVersion = appVersion
  }
}
