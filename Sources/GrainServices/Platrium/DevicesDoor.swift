package import OpenSSLCrypto

/// One entry of an account's list of devices and apps (P36). Browser sessions are not in it (P46).
package struct DeviceEntry: Equatable, Sendable {
  /// What an entry is.
  package enum Kind: String, Equatable, Sendable {
    /// Can get push.
    case device
    /// Cannot.
    case app
  }

  /// Names it when it is revoked.
  package let id: String
  /// Device or app; a kind that is not known counts as an app.
  package let kind: Kind
  /// What it called itself.
  package let name: String
  /// Of a device.
  package let platform: String?
  /// Of a device.
  package let appVersion: String?
  /// ISO 8601, as the service wrote it.
  package let createdAt: String?
  /// ISO 8601, as the service wrote it; `nil` when it was never used.
  package let lastUsedAt: String?
  /// How it gets push; `nil` when it gets none.
  package let pushTransport: String?
  /// Whether it is this program's own.
  package let isCurrent: Bool

  /// An entry by its parts.
  package init(
    id: String, kind: Kind, name: String, platform: String? = nil, appVersion: String? = nil,
    createdAt: String? = nil, lastUsedAt: String? = nil, pushTransport: String? = nil,
    isCurrent: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.platform = platform
    self.appVersion = appVersion
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.pushTransport = pushTransport
    self.isCurrent = isCurrent
  }
}

/// Why devices and apps could not be listed or changed.
package enum DeviceError: Error, Equatable, Sendable {
  /// There is no such account, or its provider has no such list.
  case unknown
  /// The account has to sign in again: its token is gone at the service (P9).
  case sessionExpired
  /// The service does not allow it to this token, in its own words; push is for devices only (P7).
  case forbidden(detail: String?)
  /// The service refused for another reason.
  case refused(host: String, error: String, detail: String?)
  /// Network or server.
  case remote(RemoteFault)
  /// It could not be stored.
  case store(StoreFault)
}

/// An account's devices and apps, as the models ask for them.
package struct DevicesDoor: Sendable {
  /// The list, asked of the service.
  package var list: @Sendable (_ account: AccountID) async throws(DeviceError) -> [DeviceEntry]
  /// Revokes an entry; one's own is a sign-out.
  package var revoke:
    @Sendable (_ account: AccountID, _ client: String) async throws(DeviceError) -> Void
  /// Sets this device's push token, which is kept sealed and sent again after a new sign-in; `nil`
  /// clears it (P39, P42).
  package var setPush:
    @Sendable (
      _ account: AccountID, _ transport: String, _ token: Secret?
    ) async throws(DeviceError) -> Void

  /// A door made of its calls; by default no account has such a list.
  package init(
    list: @escaping @Sendable (AccountID) async throws(DeviceError) -> [DeviceEntry] = {
      _ async throws(DeviceError) in throw .unknown
    },
    revoke: @escaping @Sendable (AccountID, String) async throws(DeviceError) -> Void = {
      _, _ async throws(DeviceError) in throw .unknown
    },
    setPush: @escaping @Sendable (AccountID, String, Secret?) async throws(DeviceError) -> Void = {
      _, _, _ async throws(DeviceError) in throw .unknown
    }
  ) {
    self.list = list
    self.revoke = revoke
    self.setPush = setPush
  }
}
