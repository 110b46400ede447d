import ATIdentity
import ATSyntax

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
}
