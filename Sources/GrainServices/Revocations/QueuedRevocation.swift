package import ATOAuth
package import Foundation
package import SystemClients

/// A revocation that has yet to reach its server, and nothing about whose it is (G103).
package struct QueuedRevocation: Sendable {
  /// Names it in the queue; drawn at random.
  package let id: String
  /// What the server is asked.
  package let revocation: Revocation
  /// When the account was forgotten.
  package let addedAt: Date
  /// How often a server was asked in vain.
  package let attempts: Int

  /// A revocation as the store holds it.
  package init(id: String, revocation: Revocation, addedAt: Date, attempts: Int) {
    self.id = id
    self.revocation = revocation
    self.addedAt = addedAt
    self.attempts = attempts
  }

  /// The revocation of a grant that is about to be forgotten; `nil` where its server offers none.
  package init?(of grant: Grant, at now: Date, random: SystemRandom) {
    guard let revocation = Revocation(of: grant) else { return nil }
    let id = random.bytes(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    self.init(id: id.joined(), revocation: revocation, addedAt: now, attempts: 0)
  }
}
