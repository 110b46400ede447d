package import ATSyntax
import Foundation
package import HTTPTransport
package import SystemClients

/// Finds accounts: handle ↔ DID ↔ document ↔ home server, checked in both directions and remembered
/// for a few minutes.
///
/// Only successes are remembered. `fresh` leaves what is remembered aside and replaces it: the checks
/// before a sign-in is trusted must not rest on a cache filled before it (FB-A15).
package actor IdentityResolver {
  private let configuration: IdentityConfiguration
  private let handles: HandleLookup
  private let documents: DIDDocumentLookup
  private let clock: SystemClock
  private var knownDIDs: ExpiringCache<Handle, DID>
  private var knownDocuments: ExpiringCache<DID, DIDDocument>

  /// A resolver that has looked up nothing yet.
  package init(configuration: IdentityConfiguration, http: HTTPClient, clock: SystemClock) {
    self.configuration = configuration
    handles = HandleLookup(configuration: configuration, http: http)
    documents = DIDDocumentLookup(configuration: configuration, http: http)
    self.clock = clock
    knownDIDs = ExpiringCache(lifetime: configuration.cacheLifetime)
    knownDocuments = ExpiringCache(lifetime: configuration.cacheLifetime)
  }

  /// The account a handle or DID names.
  ///
  /// A handle must be confirmed by the account's document. A DID is enough by itself: a handle that
  /// cannot be confirmed is left out (G12).
  package func resolve(
    _ input: ATIdentifier, fresh: Bool = false
  ) async throws(IdentityError) -> Identity {
    switch input {
    case .handle(let handle):
      let did = try await did(for: handle, fresh: fresh)
      let document = try await document(for: did, fresh: fresh)
      guard document.handle == handle else { throw .handleUnconfirmed(handle, did) }
      return Identity(did: did, confirmation: .confirmed(handle), pds: try home(in: document))
    case .did(let did):
      let document = try await document(for: did, fresh: fresh)
      let pds = try home(in: document)
      return Identity(
        did: did, confirmation: await confirmation(of: document, fresh: fresh), pds: pds)
    }
  }

  /// The DID a handle names, by word of its host or the resolver service; not yet confirmed.
  package func did(for handle: Handle, fresh: Bool = false) async throws(IdentityError) -> DID {
    guard handle.isResolvable(allowingTest: configuration.allowTestHandles) else {
      throw .invalidInput(handle.rawValue)
    }
    if !fresh, let known = knownDIDs.value(for: handle, at: clock.now()) { return known }
    let did = try await handles.did(for: handle)
    knownDIDs.store(did, for: handle, at: clock.now())
    return did
  }

  /// An account's document.
  package func document(
    for did: DID, fresh: Bool = false
  ) async throws(IdentityError) -> DIDDocument {
    if !fresh, let known = knownDocuments.value(for: did, at: clock.now()) { return known }
    let document: DIDDocument
    do {
      document = try await documents.document(for: did)
    } catch {
      // What was known is in doubt once the DID is said to be gone; a silent server proves nothing.
      if case .didNotFound = error { knownDocuments.remove(did) }
      throw error
    }
    knownDocuments.store(document, for: did, at: clock.now())
    return document
  }

  /// Whether the handle a document claims leads back to the document's DID.
  package func confirmation(
    of document: DIDDocument, fresh: Bool = false
  ) async -> HandleConfirmation {
    guard let handle = document.handle else { return .refuted }
    do throws(IdentityError) {
      return try await did(for: handle, fresh: fresh) == document.did
        ? .confirmed(handle) : .refuted
    } catch {
      if case .unreachable = error { return .unknown }
      return .refuted
    }
  }

  private func home(in document: DIDDocument) throws(IdentityError) -> URL {
    guard let pds = document.pds else { throw .noPDS(document.did) }
    return pds
  }
}
