import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  /// Runs one intent: reads its params, changes state, and writes the verdict with the change.
  func intent(
    _ id: RequestID, _ method: String, _ params: Parameters
  ) async throws(IntentRejection) {
    guard let name = IntentName(rawValue: method), let models else {
      throw IntentRejection(Problem(.rpcUnknownMethod))
    }
    var parameters = params
    let conditions = try RevisionConditions(&parameters)
    let request = try IntentRequest(name, &parameters)
    let gallery = try await gallery(of: request, models)
    // What has changed until now is not this request's doing.
    commit()
    try require(conditions, gallery)
    try await holdingCommits { () async throws(IntentRejection) in
      let (accepted, instance) = try await perform(request, models, gallery)
      if let operation = accepted.operation { began(operation, at: instance, by: id) }
      commit(cause: id) { changed in
        let revisions = self.revisions(
          of: changed.filter { self.instances[$0]?.argument == nil }.union(
            instance.map { [$0] } ?? []))
        self.connection.respond(id, accepted.result(revisions: revisions))
      }
    }
  }

  /// The gallery an intent names, if it names one.
  private func gallery(
    of request: IntentRequest, _ models: CoreModels
  ) async throws(IntentRejection) -> GalleryPublishModel? {
    guard case .gallery(let draft, _) = request else { return nil }
    return try await models.gallery(draft)
  }

  /// The verdict, and the instance the intent speaks to.
  private func perform(
    _ request: IntentRequest, _ models: CoreModels, _ gallery: GalleryPublishModel?
  ) async throws(IntentRejection) -> (Accepted, String?) {
    switch request {
    case .login(let intent):
      return (try perform(intent, models.login), LoginSnapshot.model)
    case .accounts(let intent):
      return (try await perform(intent, models.accounts), AccountListSnapshot.model)
    case .createDraft:
      let made = try await models.createDraft()
      return (Accepted(values: ["draft": .text(made.id)]), instance(of: made).key)
    case .editPublished(let gallery):
      let (accepted, model) = try await models.editPublished(gallery)
      return (accepted, instance(of: model).key)
    case .deletePublished(let gallery):
      return (try models.deletePublished(gallery), DraftListSnapshot.model)
    case .gallery(let draft, .discard):
      return (try await models.discardDraft(draft), DraftListSnapshot.model)
    case .gallery(_, let intent):
      guard let gallery else {
        throw IntentRejection(Problem(.galleryDraftUnknown, field: "/draft"))
      }
      let instance = instance(of: gallery)
      return (try await perform(intent, gallery), instance.key)
    case .setVisibility(let isVisible):
      if isVisible { models.resume() }
      return (Accepted(), nil)
    }
  }

  private func perform(
    _ intent: IntentRequest.Login, _ login: LoginModel
  ) throws(IntentRejection) -> Accepted {
    switch intent {
    case .start: try login.start()
    case .setHandle(let text): try login.setHandle(text)
    case .submitHandle(let text): try login.submitHandle(text)
    case .createAccount: try login.createAccount()
    case .callback(let url): try login.callback(url)
    case .cancel: try login.cancel()
    case .dismissProblem: try login.dismissProblem()
    case .highlight(let move): try login.highlight(move)
    }
  }

  private func perform(
    _ intent: IntentRequest.Accounts, _ accounts: AccountListModel
  ) async throws(IntentRejection) -> Accepted {
    switch intent {
    case .activate(let account): try accounts.activate(account)
    case .reauthenticate(let account): try accounts.reauthenticate(account)
    case .move(let account, let before): try await accounts.move(account, before: before)
    case .delete(let account, let confirm): try accounts.delete(account, confirm: confirm)
    case .unlock: try accounts.unlock()
    case .signOut(let account, let discard):
      try accounts.signOut(account, discardDrafts: discard)
    }
  }

  private func perform(
    _ intent: IntentRequest.Gallery, _ gallery: GalleryPublishModel
  ) async throws(IntentRejection) -> Accepted {
    switch intent {
    case .addPhotos(let paths): try await gallery.addPhotos(paths)
    case .setDetails(let details): try await gallery.setDetails(details)
    case .setAlt(let photo, let alt): try await gallery.setAlt(photo, alt)
    case .movePhoto(let photo, let before): try await gallery.movePhoto(photo, before: before)
    case .removePhoto(let photo): try await gallery.removePhoto(photo)
    case .publish(let name): try gallery.publish(name)
    case .cancelPublish: try gallery.cancelPublish()
    case .discard: try await gallery.discard()
    }
  }

  // MARK: Conditions

  private func require(
    _ conditions: RevisionConditions, _ gallery: GalleryPublishModel?
  ) throws(IntentRejection) {
    for (model, revision) in conditions.revisions.sorted(by: { $0.key < $1.key }) {
      let isGallery = model == GalleryPublishSnapshot.model
      let known = isGallery ? gallery.map(instance(of:)) : instances[model]
      guard let known else { throw .invalid(conditions.place(model)) }
      if known.revision != revision {
        throw IntentRejection(
          Problem(.intentStale, details: ["revision": .integer(known.revision)]))
      }
    }
  }
}

/// `_meta.ifRevision`: the revision the person was looking at, by model.
private struct RevisionConditions {
  var revisions: [String: Int] = [:]
  private static let most = 16

  init(_ parameters: inout Parameters) throws(IntentRejection) {
    guard var meta = try parameters.object("_meta") else { return }
    if var wanted = try meta.object("ifRevision") {
      let names = wanted.rest().keys
      if names.count > Self.most { throw .invalid(meta.place("ifRevision")) }
      for name in names {
        revisions[name] = try wanted.integer(name, in: 0...Parameters.largestInteger)
      }
    }
    try meta.end()
  }

  func place(_ model: String) -> String {
    Parameters([:], at: "/_meta/ifRevision").place(model)
  }
}
