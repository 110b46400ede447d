package import ATSyntax
package import GrainLexicon
package import StrictJSON

/// What publishing asks of one account's servers; bound to that account for its whole life.
///
/// A door: `live` speaks XRPC, tests answer from a script.
package struct RepositoryClient: Sendable {
  /// Uploads a file's bytes; the closure hears how many were sent so far.
  package var uploadBlob:
    @Sendable (_ path: String, _ mediaType: String, _ sent: @escaping @Sendable (Int64) -> Void)
      async throws(CallFault) -> BlobReference
  /// Writes all records or none, straight to the repository (G43, G44).
  package var applyWrites: @Sendable (_ writes: [RecordWrite]) async throws(CallFault) -> Void
  /// Writes one record under its own key (G107): needs no more than permission to create.
  package var createRecord: @Sendable (_ write: RecordWrite) async throws(CallFault) -> Void
  /// Reads one record at the PDS; `nil` when the repository has none (G100).
  package var getRecord:
    @Sendable (_ collection: NSID, _ key: RecordKey) async throws(CallFault) -> JSONValue?
  /// Tells the AppView about records, through the proxy (G46); at most 25 in one call (G48).
  package var indexRecords: @Sendable (_ uris: [ATURI]) async throws(CallFault) -> Void
  /// Fails with `scopeMissing` for the first thing the account's grant does not allow; asks nobody.
  package var requireScope: @Sendable (_ needs: [ScopeNeed]) async throws(CallFault) -> Void

  /// A client made of its calls.
  package init(
    uploadBlob:
      @escaping @Sendable (String, String, @escaping @Sendable (Int64) -> Void)
      async throws(CallFault) -> BlobReference,
    applyWrites: @escaping @Sendable ([RecordWrite]) async throws(CallFault) -> Void,
    createRecord: @escaping @Sendable (RecordWrite) async throws(CallFault) -> Void,
    getRecord: @escaping @Sendable (NSID, RecordKey) async throws(CallFault) -> JSONValue?,
    indexRecords: @escaping @Sendable ([ATURI]) async throws(CallFault) -> Void,
    requireScope: @escaping @Sendable ([ScopeNeed]) async throws(CallFault) -> Void = { _ in }
  ) {
    self.uploadBlob = uploadBlob
    self.applyWrites = applyWrites
    self.createRecord = createRecord
    self.getRecord = getRecord
    self.indexRecords = indexRecords
    self.requireScope = requireScope
  }
}

/// One record to create; keys are always ours, so that a create can be repeated (grain-product §8).
package struct RecordWrite: Equatable, Sendable {
  /// Where the record goes.
  package let collection: NSID
  /// Its key there; ours.
  package let key: RecordKey
  /// The record, `$type` included.
  package let value: JSONObject

  /// A record to create.
  package init(collection: NSID, key: RecordKey, value: JSONObject) {
    self.collection = collection
    self.key = key
    self.value = value
  }

  /// The record's address in a repository.
  package func uri(in repo: DID) -> ATURI {
    ATURI(repo, collection, key)
  }
}
