package import ATSyntax
package import GrainLexicon

/// What publishing asks of one account's servers; bound to that account for its whole life.
///
/// A door: `live` speaks XRPC, tests answer from a script.
package struct RepositoryClient: Sendable {
  /// Uploads a file's bytes; the closure hears how many were sent so far.
  package var uploadBlob:
    @Sendable (_ path: String, _ mediaType: String, _ sent: @escaping @Sendable (Int64) -> Void)
      async throws(CallFault) -> BlobReference
  /// Writes all records or none, straight to the repository (G43, G44); with a commit only while that is
  /// the newest (`InvalidSwap` otherwise).
  package var commit:
    @Sendable (_ writes: [RecordWrite], _ since: CID?) async throws(CallFault) -> Void
  /// Writes one record under its own key (G107): needs no more than permission to create.
  package var createRecord: @Sendable (_ write: RecordWrite) async throws(CallFault) -> Void
  /// Reads one record at the PDS; `nil` when the repository has none (G100).
  package var getRecord:
    @Sendable (_ collection: NSID, _ key: RecordKey) async throws(CallFault) -> RepositoryRecord?
  /// Reads some records of a collection at the PDS, from a cursor on.
  package var listRecords:
    @Sendable (_ collection: NSID, _ cursor: String?) async throws(CallFault) -> RecordPage
  /// The repository's newest commit.
  package var latestCommit: @Sendable () async throws(CallFault) -> CID
  /// Where the bytes of a published blob can be loaded from.
  package var blobAddress: @Sendable (_ blob: CID) async -> String
  /// Asks the AppView to delete a gallery with all that hangs off it; it may not be able to (G115).
  package var deleteGallery: @Sendable (_ gallery: RecordKey) async throws(CallFault) -> Void
  /// Tells the AppView about records, through the proxy (G46); at most 25 in one call (G48).
  package var indexRecords: @Sendable (_ uris: [ATURI]) async throws(CallFault) -> Void
  /// Fails with `scopeMissing` for the first thing the account's grant does not allow; asks nobody.
  package var requireScope: @Sendable (_ needs: [ScopeNeed]) async throws(CallFault) -> Void

  /// A client made of its calls.
  package init(
    uploadBlob:
      @escaping @Sendable (String, String, @escaping @Sendable (Int64) -> Void)
      async throws(CallFault) -> BlobReference,
    applyWrites: @escaping @Sendable ([RecordWrite], CID?) async throws(CallFault) -> Void,
    createRecord: @escaping @Sendable (RecordWrite) async throws(CallFault) -> Void,
    getRecord:
      @escaping @Sendable (NSID, RecordKey) async throws(CallFault) -> RepositoryRecord?,
    listRecords: @escaping @Sendable (NSID, String?) async throws(CallFault) -> RecordPage,
    latestCommit: @escaping @Sendable () async throws(CallFault) -> CID,
    blobAddress: @escaping @Sendable (CID) async -> String,
    deleteGallery: @escaping @Sendable (RecordKey) async throws(CallFault) -> Void,
    indexRecords: @escaping @Sendable ([ATURI]) async throws(CallFault) -> Void,
    requireScope: @escaping @Sendable ([ScopeNeed]) async throws(CallFault) -> Void = { _ in }
  ) {
    self.uploadBlob = uploadBlob
    self.commit = applyWrites
    self.createRecord = createRecord
    self.getRecord = getRecord
    self.listRecords = listRecords
    self.latestCommit = latestCommit
    self.blobAddress = blobAddress
    self.deleteGallery = deleteGallery
    self.indexRecords = indexRecords
    self.requireScope = requireScope
  }

  /// Writes all records or none, whatever the repository's newest commit is.
  package func applyWrites(_ writes: [RecordWrite]) async throws(CallFault) {
    try await commit(writes, nil)
  }
}
