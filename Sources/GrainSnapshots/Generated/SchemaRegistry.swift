// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// What this core serves, by the manifest of its schemas (`Schemas/v1/manifest.json`).
package enum SchemaRegistry {
  /// What stands in front of every schema's id.
  package static let root = "https://grain-core.invalid/"
  /// Rises by one with every accepted change of the schemas.
  package static let revision = 7
  /// The models, each with the id of its schema.
  package static let models: [(model: String, schema: String)] = [
    ("login", "v1/models/login.json"),
    ("accounts", "v1/models/accounts.json"),
    ("drafts", "v1/models/drafts.json"),
    ("devices", "v1/models/devices.json"),
    ("galleryPublish", "v1/models/gallery-publish.json"),
  ]
  /// The effects the core may ask for, each with its version.
  package static let effects: [String: Int] = [
    "url.open": 1,
    "auth.present": 1,
    "keyring.unlock": 1,
    "scheme.register": 1,
  ]
}
