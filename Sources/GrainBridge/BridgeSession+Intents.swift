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
    try await require(conditions, of: request, models)
    let (accepted, instance) = try await perform(request, models)
    if let operation = accepted.operation, !accepted.joined { began(operation, by: id) }
    commit(cause: id) { changed in
      var revisions = changed
      if let instance, let known = self.instances[instance] {
        revisions[known.model] = known.revision
      }
      self.connection.respond(id, accepted.result(revisions: revisions))
    }
  }

  /// The verdict, and the instance the intent speaks to.
  private func perform(
    _ request: IntentRequest, _ models: CoreModels
  ) async throws(IntentRejection) -> (Accepted, String?) {
    switch request {
    case .login(let intent):
      return (try perform(intent, models.login), LoginSnapshot.model)
    case .accounts(let intent):
      return (try await perform(intent, models.accounts), AccountListSnapshot.model)
    case .createDraft:
      let gallery = try await models.createDraft()
      let instance = instance(of: gallery)
      return (Accepted(values: ["draft": .text(gallery.id)]), instance.key)
    case .gallery(let draft, .discard):
      return (try await models.discardDraft(draft), DraftListSnapshot.model)
    case .gallery(let draft, let intent):
      let model = try await models.gallery(draft)
      let instance = instance(of: model)
      return (try await perform(intent, model), instance.key)
    case .setVisibility:
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
    _ conditions: RevisionConditions, of request: IntentRequest, _ models: CoreModels
  ) async throws(IntentRejection) {
    if conditions.revisions.isEmpty { return }
    commit()
    for (model, revision) in conditions.revisions {
      var key = model
      if model == GalleryPublishSnapshot.model, case .gallery(let draft, _) = request {
        key = instance(of: try await models.gallery(draft)).key
      }
      guard let instance = instances[key] else { throw .invalid("/_meta/ifRevision/\(model)") }
      if instance.revision != revision {
        throw IntentRejection(
          Problem(.intentStale, details: ["revision": .integer(instance.revision)]))
      }
    }
  }
}

/// `_meta.ifRevision`: the revision the person was looking at, by model.
private struct RevisionConditions {
  var revisions: [String: Int] = [:]

  init(_ parameters: inout Parameters) throws(IntentRejection) {
    guard var meta = try parameters.object("_meta") else { return }
    if var wanted = try meta.object("ifRevision") {
      for name in wanted.rest().keys {
        revisions[name] = try wanted.integer(name, in: 0...(1 << 53 - 1))
      }
    }
    try meta.end()
  }
}
