/// What a client says of itself when it asks to be allowed in.
package struct PlatriumClientIdentity: Equatable, Sendable {
  /// Shown on the consent page and in the list of devices and apps.
  package let name: String
  /// With a platform (`IOS`, `MACOS`, `ANDROID`, …, an open set) the client is a device and can get push;
  /// without one it is an app (P6, P7, P14).
  package let platform: String?
  /// Only of interest for a device.
  package let appVersion: String?

  /// An app, or a device when it has a platform.
  package init(name: String, platform: String? = nil, appVersion: String? = nil) {
    self.name = name
    self.platform = platform
    self.appVersion = appVersion
  }
}
