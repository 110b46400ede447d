package import ATOAuth
package import Foundation
package import OpenSSLCrypto
package import SystemClients

/// A revocation that has yet to reach its server, and nothing about whose it is (G103).
package struct QueuedRevocation: Sendable {
  /// Names it in the queue; drawn at random.
  package let id: String
  /// Whose source knows how to ask.
  package let provider: AccountProvider
  /// What the server is asked, as the source wrote it; a secret.
  package let request: Secret
  /// When the account was forgotten.
  package let addedAt: Date
  /// How often a server was asked in vain.
  package let attempts: Int

  /// A revocation as the store holds it.
  package init(
    id: String, provider: AccountProvider, request: Secret, addedAt: Date, attempts: Int
  ) {
    self.id = id
    self.provider = provider
    self.request = request
    self.addedAt = addedAt
    self.attempts = attempts
  }

  /// A new one, not yet tried.
  package init(
    of provider: AccountProvider, request: Secret, at now: Date, random: SystemRandom
  ) {
    let id = random.bytes(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    self.init(id: id.joined(), provider: provider, request: request, addedAt: now, attempts: 0)
  }

  /// The revocation of a grant that is about to be forgotten; `nil` where its server offers none.
  package init?(of grant: Grant, at now: Date, random: SystemRandom) {
    guard let revocation = Revocation(of: grant) else { return nil }
    self.init(of: .grain, request: revocation.sealable(), at: now, random: random)
  }
}
