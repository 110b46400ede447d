import StrictJSON

extension JSONObject {
  /// A shell that can do everything and wants every model.
  static var hello: JSONObject {
    [
      "protocolVersions": [1], "client": ["name": "test", "version": "1"],
      "capabilities": [
        "delivery": ["merge", "full"], "progress": true,
        "effects": [
          "auth.present": ["version": 1, "presentations": ["webview"]], "url.open": ["version": 1],
        ],
      ],
      "models": [
        ["model": "login", "schemas": ["v1/models/login.json"]],
        ["model": "accounts", "schemas": ["v1/models/accounts.json"]],
        ["model": "drafts", "schemas": ["v1/models/drafts.json"]],
        ["model": "galleryPublish", "schemas": ["v1/models/gallery-publish.json"]],
      ],
    ]
  }
}
