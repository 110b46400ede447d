import ATSyntax
import Foundation
import SystemClients

/// The DID documents of services a PDS proxies to, remembered as the reference remembers them:
/// fetched anew after an hour, and after a day not used any more even when the service is
/// unreachable (wire §10.4).
final class ServiceDocuments: Sendable {
  private struct Entry {
    let document: SandboxDIDDocument
    let fetchedAt: Date
  }

  private let identities: DIDDocuments
  private let clock: SystemClock
  private let entries = Locked<[DID: Entry]>([:])

  init(identities: DIDDocuments, clock: SystemClock) {
    self.identities = identities
    self.clock = clock
  }

  func document(of did: DID) async throws(DIDDocuments.Failure) -> SandboxDIDDocument {
    let known = entries.withLock { $0[did] }
    let age = known.map { clock.now().timeIntervalSince($0.fetchedAt) } ?? .infinity
    if let known, age < 3600 { return known.document }
    do {
      let document = try await identities.document(of: did)
      let now = clock.now()
      entries.withLock { $0[did] = Entry(document: document, fetchedAt: now) }
      return document
    } catch {
      guard let known, error == .unavailable, age < 24 * 3600 else { throw error }
      return known.document
    }
  }
}
