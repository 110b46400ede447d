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
    try await require(try Conditions(&parameters), models, parameters)
    let (accepted, instance) = try await perform(name, &parameters, models)
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
    _ name: IntentName, _ parameters: inout Parameters, _ models: CoreModels
  ) async throws(IntentRejection) -> (Accepted, String?) {
    if name.rawValue.hasPrefix("login.") {
      return (try login(name, &parameters, models.login), LoginSnapshot.model)
    }
    if name.rawValue.hasPrefix("accounts.") {
      return (try await account(name, &parameters, models.accounts), AccountListSnapshot.model)
    }
    switch name {
    case .shellSetVisibility:
      guard try parameters.flag("visible") != nil else { throw .invalid("/visible") }
      try parameters.end()
      return (Accepted(), nil)
    case .galleryCreateDraft:
      let kind = try parameters.text("kind") ?? "gallery"
      try parameters.end()
      guard kind == "gallery" else { throw .invalid("/kind") }
      let gallery = try await models.createDraft()
      let instance = instance(of: gallery)
      return (Accepted(values: ["draft": .text(gallery.id)]), instance.key)
    default:
      let draft = try parameters.requiredText("draft")
      if name == .galleryDiscardDraft {
        try parameters.end()
        return (try await models.discardDraft(draft), DraftListSnapshot.model)
      }
      let model = try await models.gallery(draft)
      let instance = instance(of: model)
      return (try await gallery(name, &parameters, model), instance.key)
    }
  }

  private func login(
    _ name: IntentName, _ parameters: inout Parameters, _ login: LoginModel
  ) throws(IntentRejection) -> Accepted {
    switch name {
    case .loginStart:
      let provider = try parameters.text("provider") ?? "grain"
      try parameters.end()
      try Self.requireProvider(provider)
      return try login.start()
    case .loginSetHandle:
      let handle = try parameters.requiredText("handle")
      try parameters.end()
      return try login.setHandle(handle)
    case .loginSubmitHandle:
      let handle = try parameters.requiredText("handle")
      try parameters.end()
      return try login.submitHandle(handle)
    case .loginCreateAccount:
      let provider = try parameters.text("provider") ?? "grain"
      try parameters.end()
      try Self.requireProvider(provider)
      return try login.createAccount()
    case .loginCallback:
      let url = try parameters.requiredText("callbackUrl", limit: 16_384)
      try parameters.end()
      return try login.callback(url)
    case .loginCancel:
      try parameters.end()
      return try login.cancel()
    case .loginDismissProblem:
      try parameters.end()
      return try login.dismissProblem()
    case .loginHighlight:
      let move = try parameters.requiredText("move")
      try parameters.end()
      guard ["next", "previous", "none"].contains(move) else { throw .invalid("/move") }
      throw .notAvailable(name, phase: login.snapshot.phase.rawValue)
    default: throw IntentRejection(Problem(.rpcUnknownMethod))
    }
  }

  private static func requireProvider(_ provider: String) throws(IntentRejection) {
    guard ["grain", "platrium", "pixiv"].contains(provider) else { throw .invalid("/provider") }
    if provider != "grain" { throw IntentRejection(Problem(.loginProviderUnavailable)) }
  }

  private func account(
    _ name: IntentName, _ parameters: inout Parameters, _ accounts: AccountListModel
  ) async throws(IntentRejection) -> Accepted {
    let account = try parameters.requiredText("account")
    switch name {
    case .accountsSwitch:
      try parameters.end()
      return try accounts.activate(account)
    case .accountsReauthenticate:
      try parameters.end()
      return try accounts.reauthenticate(account)
    case .accountsMove:
      let before = try parameters.text("before")
      try parameters.end()
      return try await accounts.move(account, before: before)
    case .accountsSignOut:
      let discard = try parameters.flag("discardDrafts") ?? false
      try parameters.end()
      return try accounts.signOut(account, discardDrafts: discard)
    default: throw IntentRejection(Problem(.rpcUnknownMethod))
    }
  }

  private func gallery(
    _ name: IntentName, _ parameters: inout Parameters, _ gallery: GalleryPublishModel
  ) async throws(IntentRejection) -> Accepted {
    switch name {
    case .galleryAddPhotos:
      var paths: [String] = []
      for var file in try parameters.objects("files") ?? [] {
        paths.append(try file.requiredText("path"))
        try file.end()
      }
      try parameters.end()
      return try await gallery.addPhotos(paths)
    case .gallerySetDetails:
      return try await gallery.setDetails(try details(&parameters))
    case .gallerySetAlt:
      let photo = try parameters.requiredText("photo")
      let alt = try parameters.requiredText("alt", limit: 16_384)
      try parameters.end()
      return try await gallery.setAlt(photo, alt)
    case .galleryMovePhoto:
      let photo = try parameters.requiredText("photo")
      let before = try parameters.text("before")
      try parameters.end()
      return try await gallery.movePhoto(photo, before: before)
    case .galleryRemovePhoto:
      let photo = try parameters.requiredText("photo")
      try parameters.end()
      return try await gallery.removePhoto(photo)
    case .galleryPublish, .galleryRetry:
      try parameters.end()
      return try gallery.publish(name)
    case .galleryCancelPublish:
      try parameters.end()
      return try gallery.cancelPublish()
    default: throw IntentRejection(Problem(.rpcUnknownMethod))
    }
  }

  private func details(
    _ parameters: inout Parameters
  ) throws(IntentRejection) -> GalleryDetails {
    var details = GalleryDetails(
      title: try parameters.text("title", limit: 65_536),
      description: try parameters.text("description", limit: 65_536),
      labels: try parameters.texts("labels"), includeExif: try parameters.flag("includeExif"),
      crossPost: try parameters.flag("crossPost"),
      clear: Set(try parameters.texts("clear") ?? []))
    if var place = try parameters.object("location") {
      var location = GalleryLocation(
        h3: try place.requiredText("h3"), name: try place.requiredText("name"))
      if var address = try place.object("address") {
        location.address = GalleryLocation.Address(
          country: try address.requiredText("country"),
          postalCode: try address.text("postalCode"), region: try address.text("region"),
          locality: try address.text("locality"), street: try address.text("street"),
          name: try address.text("name"))
        try address.end()
      }
      try place.end()
      details.location = location
    }
    try parameters.end()
    return details
  }

  // MARK: Conditions

  /// `_meta.ifRevision`: the revision the person was looking at, by model.
  private struct Conditions {
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

  private func require(
    _ conditions: Conditions, _ models: CoreModels, _ parameters: Parameters
  ) async throws(IntentRejection) {
    if conditions.revisions.isEmpty { return }
    commit()
    for (model, revision) in conditions.revisions {
      var key = model
      var copy = parameters
      if model == GalleryPublishSnapshot.model, let draft = try copy.text("draft") {
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
