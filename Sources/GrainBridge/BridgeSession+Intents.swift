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
    let named = try await named(by: request, models)
    // What has changed until now is not this request's doing.
    commit()
    try require(conditions, named)
    try await holdingCommits { () async throws(IntentRejection) in
      let (accepted, instance) = try await perform(request, models, named)
      if let operation = accepted.operation { began(operation, at: instance, by: id) }
      commit(cause: id) { changed in
        let revisions = self.revisions(
          of: changed.filter { self.instances[$0]?.argument == nil }.union(
            instance.map { [$0] } ?? []))
        self.connection.respond(id, accepted.result(revisions: revisions))
      }
    }
  }

  /// The model instance an intent names, of a model that has several.
  private enum Named {
    case gallery(GalleryPublishModel)
    case devices(DeviceListModel)
  }

  private func named(
    by request: IntentRequest, _ models: CoreModels
  ) async throws(IntentRejection) -> Named? {
    switch request {
    case .gallery(let draft, _): .gallery(try await models.gallery(draft))
    case .devices(let account, _): .devices(try models.deviceList(of: account))
    default: nil
    }
  }

  private func instance(of named: Named) -> ModelInstance {
    switch named {
    case .gallery(let gallery): instance(of: gallery)
    case .devices(let devices): instance(of: devices)
    }
  }

  /// The verdict, and the instance the intent speaks to.
  private func perform(
    _ request: IntentRequest, _ models: CoreModels, _ named: Named?
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
    case .devices(_, let intent):
      guard case .devices(let devices) = named else {
        throw IntentRejection(Problem(.accountUnknown, field: "/account"))
      }
      let instance = instance(of: devices)
      return (try perform(intent, devices), instance.key)
    case .gallery(_, let intent):
      guard case .gallery(let gallery) = named else {
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
    case .start(let provider): try login.start(provider)
    case .submit(let server, let device, let consent):
      try login.submit(server: server, device: device, consent: consent)
    case .submitToken(let server, let token): try login.submitToken(server: server, token: token)
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
    _ intent: IntentRequest.Devices, _ devices: DeviceListModel
  ) throws(IntentRejection) -> Accepted {
    switch intent {
    case .refresh: try devices.refresh()
    case .revoke(let client): try devices.revoke(client)
    case .setPush(let transport, let token): try devices.setPush(transport: transport, token: token)
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
    _ conditions: RevisionConditions, _ named: Named?
  ) throws(IntentRejection) {
    for (model, revision) in conditions.revisions.sorted(by: { $0.key < $1.key }) {
      let instance = named.map { self.instance(of: $0) }
      let known = instance?.model == model ? instance : instances[model]
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
    MemberPlace("/_meta/ifRevision").member(model).pointer
  }
}
