/// Who a token belongs to and what it is (P29, P41).
package struct PlatriumSession: Equatable, Sendable {
  /// What kind of credential the service sees.
  package enum Kind: Equatable, Sendable {
    /// A browser's cookie; never ours.
    case session
    /// A token with a device row; can get push.
    case device
    /// A token without one.
    case app
    /// A kind this version does not know.
    case other(String)

    init(_ text: String) {
      switch text {
      case "SESSION": self = .session
      case "DEVICE": self = .device
      case "APP": self = .app
      default: self = .other(text)
      }
    }
  }

  /// The person.
  package struct User: Equatable, Sendable {
    /// Unique at the service.
    package let id: String
    /// How the service writes to them.
    package let email: String?
    /// What they call themselves.
    package let name: String?

    /// A person by their parts.
    package init(id: String, email: String?, name: String?) {
      self.id = id
      self.email = email
      self.name = name
    }
  }

  /// The person.
  package let user: User
  /// Id and name of the tenant the token acts in (P28).
  package let tenantID: String?
  /// The tenant's name, for people.
  package let tenantName: String?
  /// What the token is.
  package let kind: Kind
  /// The device row of a device's token.
  package let deviceID: String?

  /// A session by its parts.
  package init(
    user: User, tenantID: String?, tenantName: String?, kind: Kind, deviceID: String?
  ) {
    self.user = user
    self.tenantID = tenantID
    self.tenantName = tenantName
    self.kind = kind
    self.deviceID = deviceID
  }
}

/// A token with what the service said about it. Store the token before telling anybody (P5).
package struct IssuedPlatriumToken: Equatable, Sendable {
  /// The credential.
  package let token: PlatriumToken
  /// Its entry in the list of devices and apps, when the service says which.
  package let clientID: String?
  /// Who it acts for.
  package let session: PlatriumSession
}

/// One entry of the list of devices and apps (P36). Browser sessions are not in it (P46).
package struct PlatriumClientEntry: Equatable, Sendable {
  /// Names it when it is revoked.
  package let id: String
  /// Device or app.
  package let kind: PlatriumSession.Kind
  /// What it called itself.
  package let name: String
  /// Of a device.
  package let platform: String?
  /// Of a device.
  package let appVersion: String?
  /// ISO 8601, as the service wrote it.
  package let createdAt: String?
  /// ISO 8601, as the service wrote it; `nil` when never used.
  package let lastUsedAt: String?
  /// `APNS` or `FCM` when push is set.
  package let pushTransport: String?
  /// Whether it is the one whose token asked.
  package let isCurrent: Bool
}
