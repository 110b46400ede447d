import ATSyntax
import GrainLexicon
import GrainServices
import GrainSnapshots

/// Galleries that are up: edited by way of a draft, and deleted.
extension CoreModels {
  /// Opens a draft over a gallery of the active account and reads the gallery into it; a draft that was
  /// opened over it before is opened again.
  package func editPublished(
    _ text: String
  ) async throws(IntentRejection) -> (Accepted, GalleryPublishModel) {
    let (repo, key) = try own(text)
    let known: Draft?
    let made: Draft
    do throws(StoreFault) {
      known = try await galleries.drafts(repo).first { $0.edits == key }
      if let known {
        made = known
      } else {
        made = try await galleries.create(repo, key)
      }
    } catch {
      throw IntentRejection(Problem(error))
    }
    let model = try await gallery(made.id)
    await drafts.reload()
    let operation =
      model.running?.operation
      ?? operations.start(.galleryEditPublished) { [weak self] _ in
        guard known == nil || known?.opening != nil else { return .succeeded }
        return await self?.read(key, into: model) ?? .cancelled
      }
    if known == nil || known?.opening != nil {
      model.running = model.running ?? (operation, .galleryEditPublished)
    }
    return (Accepted(operation: operation, values: ["draft": .text(made.id)]), model)
  }

  private func read(
    _ gallery: RecordKey, into model: GalleryPublishModel
  ) async -> OperationCenter.Outcome {
    let outcome: OperationCenter.Outcome
    do throws(PublishedGalleryError) {
      let draft = try await galleries.published.open(gallery, model.id)
      await drafts.reload()
      if let draft { model.take(draft) }
      outcome = draft == nil ? .cancelled : .succeeded
    } catch {
      outcome = ending(with: error, of: model.repo)
    }
    model.running = nil
    if outcome != .succeeded { await drop(model.id) }
    return outcome
  }

  private func ending(
    with error: PublishedGalleryError, of repo: DID
  ) -> OperationCenter.Outcome {
    if error == .call(.cancelled) { return .cancelled }
    return .failed(Problem(error, account: accounts.name(of: repo.account)))
  }

  /// A draft over a gallery that could not be read is of no use to anybody.
  private func drop(_ draft: String) async {
    do throws(StoreFault) {
      try await galleries.remove(draft)
    } catch {
      // It stays and can be discarded.
      return
    }
    await drafts.reload()
    close(draft, .gone)
  }

  /// Deletes a gallery of the active account and all that hangs off it.
  package func deletePublished(_ text: String) throws(IntentRejection) -> Accepted {
    let (repo, key) = try own(text)
    let gallery = ATURI(repo, CollectionNames.gallery, key)
    if let operation = deleting[gallery] { return Accepted(operation: operation, joined: true) }
    let operation = operations.start(.galleryDeletePublished) { _ in
      let outcome: OperationCenter.Outcome
      do throws(PublishedGalleryError) {
        try await self.galleries.published.delete(key, repo)
        outcome = .succeeded
      } catch {
        outcome = self.ending(with: error, of: repo)
      }
      self.deleting[gallery] = nil
      return outcome
    }
    deleting[gallery] = operation
    return Accepted(operation: operation)
  }

  /// The account and key of a gallery, which must be the active account's own.
  private func own(_ text: String) throws(IntentRejection) -> (DID, RecordKey) {
    let uri: ATURI
    do throws(SyntaxError) {
      uri = try ATURI(text)
    } catch {
      throw .invalid("/gallery")
    }
    guard uri.collection == CollectionNames.gallery, let key = uri.recordKey else {
      throw .invalid("/gallery")
    }
    guard case .did(let repo) = uri.authority, repo == accounts.activeRepo else {
      throw IntentRejection(Problem(.galleryUnknown, field: "/gallery"))
    }
    return (repo, key)
  }
}

extension Draft {
  /// The published gallery this draft changes, or will once it is read.
  fileprivate var edits: RecordKey? { published?.gallery.key ?? opening }
}
