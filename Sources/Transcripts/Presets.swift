import StrictJSON

/// What `{"$use":"name"}` stands for. Members beside it change it as a merge patch would: `null` takes
/// one out.
enum Presets {
  /// A preset by name.
  static func value(_ name: String) -> JSONValue? {
    switch name {
    case "initialize.default": hello
    default: nil
    }
  }

  /// A shell that can do everything there is.
  private static let hello: JSONValue = [
    "protocolVersions": [1], "client": ["name": "grain-script", "version": "1"],
    "capabilities": [
      "delivery": ["merge", "full"], "progress": true,
      "effects": [
        "auth.present": ["version": 1, "presentations": ["webview"]],
        "url.open": ["version": 1], "scheme.register": ["version": 1],
        "files.pick": ["version": 1], "notification.show": ["version": 1],
        "notification.close": ["version": 1], "keyring.unlock": ["version": 1],
        "clipboard.write": ["version": 1],
      ],
    ],
    "models": [
      ["model": "login", "schemas": ["v1/models/login.json"]],
      ["model": "accounts", "schemas": ["v1/models/accounts.json"]],
      ["model": "drafts", "schemas": ["v1/models/drafts.json"]],
      ["model": "devices", "schemas": ["v1/models/devices.json"]],
      ["model": "galleryPublish", "schemas": ["v1/models/gallery-publish.json"]],
    ],
  ]
}
