import GrainModels
import GrainServices
import GrainSnapshots
import OpenSSLCrypto

/// One intent with its params read and checked: nothing is looked up or changed before this exists.
///
/// The checks are those of the intents' schemas (`Schemas/v1/intents`).
enum IntentRequest {
  case login(Login)
  case accounts(Accounts)
  case devices(account: String, Devices)
  case createDraft
  case editPublished(String)
  case deletePublished(String)
  case gallery(draft: String, Gallery)
  case setVisibility(Bool)

  /// Intents of the sign-in form.
  enum Login {
    case start(AccountProvider)
    case submit(server: String?, PlatriumDevice?, LoginModel.Consent)
    case submitToken(server: String?, Secret)
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

  /// Intents of one account's devices and apps.
  enum Devices {
    case refresh
    case revoke(String)
    case setPush(transport: String, token: Secret?)
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
      .loginCallback, .loginCancel, .loginDismissProblem, .loginSubmit, .loginSubmitToken:
      self = .login(try Login(name, &parameters))
    case .accountsSwitch, .accountsReauthenticate, .accountsMove, .accountsDelete, .accountsSignOut:
      self = .accounts(try Accounts(name, &parameters))
    case .accountsUnlock: self = .accounts(.unlock)
    case .devicesRefresh, .devicesRevoke, .devicesSetPush:
      let account = try parameters.key("account", limit: 2048)
      self = .devices(account: account, try Devices(name, &parameters))
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
      self = .start(try Self.provider(&parameters))
    case .loginSubmit:
      self = .submit(
        server: try parameters.name("server", limit: 2048), try PlatriumDevice(&parameters),
        try parameters.choice("grant", of: ["browser", "deviceCode"])
          .flatMap(LoginModel.Consent.init) ?? .browser)
    case .loginSubmitToken:
      self = .submitToken(
        server: try parameters.name("server", limit: 2048),
        Secret(text: try parameters.key("token", limit: 16_384)))
    case .loginSetHandle: self = .setHandle(try parameters.requiredText("handle", limit: 2048))
    case .loginHighlight:
      guard let move = SuggestionList.Move(rawValue: try parameters.requiredText("move")) else {
        throw .invalid("/move")
      }
      self = .highlight(move)
    case .loginSubmitHandle:
      self = .submitHandle(try parameters.requiredText("handle", limit: 2048))
    case .loginCreateAccount:
      guard try Self.provider(&parameters) == .grain else {
        throw IntentRejection(Problem(.loginProviderUnavailable, field: "/provider"))
      }
      self = .createAccount
    case .loginCallback: self = .callback(try parameters.key("callbackUrl", limit: 16_384))
    case .loginCancel: self = .cancel
    default: self = .dismissProblem
    }
  }

  private static func provider(
    _ parameters: inout Parameters
  ) throws(IntentRejection) -> AccountProvider {
    let names = AccountProvider.allCases.map(\.rawValue)
    return try parameters.choice("provider", of: names).flatMap(AccountProvider.init) ?? .grain
  }
}

extension PlatriumDevice {
  /// `device`, where there is one.
  fileprivate init?(_ parameters: inout Parameters) throws(IntentRejection) {
    guard var device = try parameters.object("device") else { return nil }
    self.init(
      name: try device.key("name", limit: 256), platform: try device.key("platform"),
      appVersion: try device.name("appVersion", limit: 64))
    try device.end()
  }
}

extension IntentRequest.Devices {
  fileprivate init(_ name: IntentName, _ parameters: inout Parameters) throws(IntentRejection) {
    switch name {
    case .devicesRefresh: self = .refresh
    case .devicesRevoke: self = .revoke(try parameters.key("client", limit: 256))
    default:
      guard let transport = try parameters.choice("transport", of: ["APNS", "FCM"]) else {
        throw .invalid("/transport")
      }
      self = .setPush(
        transport: transport,
        token: try parameters.name("token", limit: 4096).map { Secret(text: $0) })
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
      throw .invalid(parameters.place("labels", index))
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
