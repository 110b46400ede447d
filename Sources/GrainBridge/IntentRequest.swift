import GrainModels
import GrainSnapshots

/// One intent with its params read and checked: nothing is looked up or changed before this exists.
///
/// The checks are those of the intents' schemas (`Schemas/v1/intents`).
enum IntentRequest {
  case login(Login)
  case accounts(Accounts)
  case createDraft
  case editPublished(String)
  case deletePublished(String)
  case gallery(draft: String, Gallery)
  case setVisibility(Bool)

  /// Intents of the sign-in form.
  enum Login {
    case start
    case setHandle(String)
    case highlight(SuggestionList.Move)
    case submitHandle(String)
    case createAccount
    case callback(String)
    case cancel
    case dismissProblem
  }

  /// Intents of the account list, nearly all about one account.
  enum Accounts {
    case activate(String)
    case reauthenticate(String)
    case move(String, before: String?)
    case delete(String, confirm: String)
    case signOut(String, discardDrafts: Bool)
    case unlock
  }

  /// Intents of one draft.
  enum Gallery {
    case addPhotos([String])
    case setDetails(GalleryDetails)
    case setAlt(photo: String, String)
    case movePhoto(String, before: String?)
    case removePhoto(String)
    case publish(IntentName)
    case cancelPublish
    case discard
  }

  /// Reads the params of an intent; every member must be known and fit.
  init(_ name: IntentName, _ parameters: inout Parameters) throws(IntentRejection) {
    switch name {
    case .loginStart, .loginSetHandle, .loginHighlight, .loginSubmitHandle, .loginCreateAccount,
      .loginCallback, .loginCancel, .loginDismissProblem:
      self = .login(try Login(name, &parameters))
    case .accountsSwitch, .accountsReauthenticate, .accountsMove, .accountsDelete, .accountsSignOut:
      self = .accounts(try Accounts(name, &parameters))
    case .accountsUnlock: self = .accounts(.unlock)
    case .galleryCreateDraft:
      // Stories come with a later capability; their kind is known and refused here.
      if try parameters.choice("kind", of: ["gallery", "story"]) == "story" {
        throw IntentRejection(
          Problem(
            .intentNotAvailable, field: parameters.place("kind"),
            details: ["intent": .text(name.rawValue), "phase": "ready"]))
      }
      self = .createDraft
    case .galleryEditPublished: self = .editPublished(try parameters.key("gallery", limit: 2048))
    case .galleryDeletePublished:
      self = .deletePublished(try parameters.key("gallery", limit: 2048))
    case .shellSetVisibility:
      guard let visible = try parameters.flag("visible") else { throw .invalid("/visible") }
      self = .setVisibility(visible)
    default:
      let draft = try parameters.key("draft")
      self = .gallery(draft: draft, try Gallery(name, &parameters))
    }
    try parameters.end()
  }
}

extension IntentRequest.Login {
  fileprivate init(_ name: IntentName, _ parameters: inout Parameters) throws(IntentRejection) {
    switch name {
    case .loginStart:
      try Self.requireProvider(&parameters)
      self = .start
    case .loginSetHandle: self = .setHandle(try parameters.requiredText("handle", limit: 2048))
    case .loginHighlight:
      guard let move = SuggestionList.Move(rawValue: try parameters.requiredText("move")) else {
        throw .invalid("/move")
      }
      self = .highlight(move)
    case .loginSubmitHandle:
      self = .submitHandle(try parameters.requiredText("handle", limit: 2048))
    case .loginCreateAccount:
      try Self.requireProvider(&parameters)
      self = .createAccount
    case .loginCallback: self = .callback(try parameters.key("callbackUrl", limit: 16_384))
    case .loginCancel: self = .cancel
    default: self = .dismissProblem
    }
  }

  private static func requireProvider(_ parameters: inout Parameters) throws(IntentRejection) {
    let provider = try parameters.choice("provider", of: ["grain", "platrium", "pixiv"])
    if let provider, provider != "grain" {
      throw IntentRejection(Problem(.loginProviderUnavailable, field: "/provider"))
    }
  }
}

extension IntentRequest.Accounts {
  fileprivate init(_ name: IntentName, _ parameters: inout Parameters) throws(IntentRejection) {
    let account = try parameters.key("account", limit: 2048)
    switch name {
    case .accountsSwitch: self = .activate(account)
    case .accountsReauthenticate: self = .reauthenticate(account)
    case .accountsMove:
      self = .move(account, before: try parameters.name("before", limit: 2048))
    case .accountsDelete:
      self = .delete(account, confirm: try parameters.key("confirm", limit: 2048))
    default:
      self = .signOut(account, discardDrafts: try parameters.flag("discardDrafts") ?? false)
    }
  }
}

extension IntentRequest.Gallery {
  fileprivate init(_ name: IntentName, _ parameters: inout Parameters) throws(IntentRejection) {
    switch name {
    case .galleryAddPhotos: self = .addPhotos(try Self.paths(&parameters))
    case .gallerySetDetails: self = .setDetails(try GalleryDetails(&parameters))
    case .gallerySetAlt:
      self = .setAlt(
        photo: try parameters.key("photo"), try parameters.requiredText("alt", limit: 65_536))
    case .galleryMovePhoto:
      self = .movePhoto(
        try parameters.key("photo"), before: try parameters.name("before", limit: 64))
    case .galleryRemovePhoto: self = .removePhoto(try parameters.key("photo"))
    case .galleryCancelPublish: self = .cancelPublish
    case .galleryDiscardDraft: self = .discard
    // `publish`, `retry` and `retryCrossPost` differ in when they are possible.
    default: self = .publish(name)
    }
  }

  private static func paths(_ parameters: inout Parameters) throws(IntentRejection) -> [String] {
    guard let files = try parameters.objects("files", most: 1000), !files.isEmpty else {
      throw .invalid("/files")
    }
    var paths: [String] = []
    for var file in files {
      let path = try file.key("path", limit: 4096)
      guard path.hasPrefix("/") else { throw .invalid(file.place("path")) }
      paths.append(path)
      try file.end()
    }
    return paths
  }
}

extension GalleryDetails {
  fileprivate init(_ parameters: inout Parameters) throws(IntentRejection) {
    self.init(
      title: try parameters.text("title", limit: 65_536),
      description: try parameters.text("description", limit: 65_536),
      labels: try Self.labels(&parameters), includeExif: try parameters.flag("includeExif"),
      crossPost: try parameters.flag("crossPost"),
      clear: Set(try parameters.choices("clear", of: ["location"], most: 1) ?? []))
    if var place = try parameters.object("location") {
      location = try GalleryLocation(&place)
    }
  }

  private static func labels(_ parameters: inout Parameters) throws(IntentRejection) -> [String]? {
    let labels = try parameters.texts("labels", most: 10, limit: 128)
    for (index, label) in (labels ?? []).enumerated() where label.isEmpty {
      throw .invalid("\(parameters.place("labels"))/\(index)")
    }
    return labels
  }
}

extension GalleryLocation {
  fileprivate init(_ place: inout Parameters) throws(IntentRejection) {
    let cell = try place.requiredText("h3")
    let isCell = cell.wholeMatch(of: /[0-9a-f]{15}/) != nil
    guard isCell else { throw .invalid(place.place("h3")) }
    self.init(h3: cell, name: try place.requiredText("name", limit: 2048))
    if var address = try place.object("address") {
      let country = try address.requiredText("country")
      guard (2...10).contains(country.unicodeScalars.count) else {
        throw .invalid(address.place("country"))
      }
      self.address = Address(
        country: country, postalCode: try address.text("postalCode", limit: 2048),
        region: try address.text("region", limit: 2048),
        locality: try address.text("locality", limit: 2048),
        street: try address.text("street", limit: 2048),
        name: try address.text("name", limit: 2048))
      try address.end()
    }
    try place.end()
  }
}
