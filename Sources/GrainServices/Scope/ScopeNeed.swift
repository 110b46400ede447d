package import ATOAuth
package import ATSyntax
package import GrainLexicon

/// One thing a call does that its account's grant must allow, and the scope item that would (G109).
package struct ScopeNeed: Equatable, Sendable {
  /// As the `scope` parameter would ask for it.
  package let item: String
  /// What is done.
  package let operation: ScopeOperation

  /// Creating, changing or deleting a record.
  package static func record(
    _ collection: NSID, _ action: Permission.RepoAction = .create
  ) -> ScopeNeed {
    ScopeNeed(
      item: "repo:\(collection.rawValue)?action=\(action.rawValue)",
      operation: .repo(collection: collection.rawValue, action: action))
  }

  /// Writing one record of a batch.
  package static func write(_ write: RecordWrite) -> ScopeNeed {
    switch write.action {
    case .create: .record(write.collection)
    case .update: .record(write.collection, .update)
    case .delete: .record(write.collection, .delete)
    }
  }

  /// Uploading bytes of a media type.
  package static func blob(_ mediaType: String) -> ScopeNeed {
    ScopeNeed(item: "blob:\(mediaType)", operation: .blob(mediaType: mediaType))
  }

  /// Calling a method of the AppView through the account's own server.
  package static func call(_ method: NSID, of service: AppViewService) -> ScopeNeed {
    ScopeNeed(
      item: "rpc:\(method.rawValue)?aud=\(service.scopeAudience)",
      operation: .rpc(method: method.rawValue, audience: service.proxyHeader))
  }

  /// What publishing a gallery does, before anything of it is uploaded.
  package static func publishing(_ draft: Draft) -> [ScopeNeed] {
    let writesEXIF =
      draft.includeExif
      && draft.orderedPhotos.contains { $0.prepared == nil || $0.prepared?.exif != nil }
    return [.blob("image/*"), .record(CollectionNames.photo)]
      + (writesEXIF ? [.record(CollectionNames.photoEXIF)] : [])
      + [
        .record(CollectionNames.gallery, draft.published == nil ? .create : .update),
        .record(CollectionNames.galleryItem),
      ]
  }
}

extension ScopeSet {
  /// The first of these that is not granted.
  package func firstMissing(of needs: [ScopeNeed]) -> ScopeNeed? {
    needs.first { !allows($0.operation) }
  }

  /// What of a wanted scope is not granted: whole items where nothing of them is, else what is missing
  /// of them.
  package func missing(from wanted: [String]) -> [String] {
    wanted.flatMap { item -> [String] in
      let operations = ScopeSet(item).operations
      let missing = operations.filter { !allows($0) }
      if missing.isEmpty { return [] }
      let parts = Permission.RepoAction.allCases.flatMap { action in
        missing.compactMap { operation -> String? in
          guard case .repo(let collection, action) = operation else { return nil }
          return "repo:\(collection)?action=\(action.rawValue)"
        }
      }
      return missing.count == operations.count || parts.isEmpty ? [item] : parts
    }
  }
}
