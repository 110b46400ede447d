package import OpenSSLCrypto

/// A way to a token. Every way ends in the same kind of token (P2), so a device grant (RFC 8628) needs one
/// more value here and a page that shows its code; what is done with the token stays as it is (P26).
package struct PlatriumGrant: Sendable {
  /// Gets the token; may wait for a person.
  package let redeem:
    @Sendable (_ client: PlatriumClient) async throws(PlatriumError) -> IssuedPlatriumToken

  /// A way of one's own.
  package init(
    redeem: @escaping @Sendable (PlatriumClient) async throws(PlatriumError) -> IssuedPlatriumToken
  ) {
    self.redeem = redeem
  }

  /// The code a browser brought.
  package static func code(_ code: Secret, of attempt: PlatriumAttempt) -> PlatriumGrant {
    PlatriumGrant { client async throws(PlatriumError) in
      try await client.exchange(code: code, of: attempt)
    }
  }

  /// A token that was made by hand under Devices & Apps (P25).
  package static func pasted(_ text: Secret) -> PlatriumGrant {
    PlatriumGrant { client async throws(PlatriumError) in
      let token: PlatriumToken
      do {
        token = try PlatriumToken(text.revealText())
      } catch {
        throw .invalidToken
      }
      return try await client.issued(for: token)
    }
  }
}
