import ATIdentity
import ATSyntax
package import OpenSSLCrypto
import PlatriumTokens

/// The first look at what a person typed, before anything is asked of a network.
package enum SignInInput {
  /// - Returns: why the text names nobody, or `nil` when it is a handle or a DID.
  package static func check(_ typed: String) -> SignInError? {
    do throws(IdentityError) {
      _ = try SignInName.parse(typed)
      return nil
    } catch {
      return .handleInvalid(typed: SignInName.normalize(typed))
    }
  }

  /// The same for a token that was made by hand.
  ///
  /// - Returns: `notAToken` for what cannot be one whichever service is asked; it need not leave this
  ///   machine then (P3).
  package static func check(token: Secret) -> SignInError? {
    do throws(PlatriumToken.Invalid) {
      _ = try PlatriumToken(token.revealText())
      return nil
    } catch {
      return .notAToken
    }
  }
}
