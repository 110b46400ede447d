import ATSyntax
import GrainServices
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

extension DID {
  static var alice: DID { known("did:web:alice.test") }
  static var bob: DID { known("did:web:bob.test") }

  private static func known(_ text: String) -> DID {
    do { return try DID(text) } catch { preconditionFailure("\(text) is no DID") }
  }
}

extension AccountsState {
  /// Nobody.
  static var nobody: AccountsState { AccountsState(session: .signedOut(nil)) }

  /// Alice alone, signed in.
  static var alice: AccountsState {
    AccountsState(
      session: .signedIn(.alice), accounts: [AccountRecord(did: .alice, handle: nil)],
      active: .alice)
  }

  /// Alice signed in and active, Bob signed in as well.
  static var both: AccountsState {
    var state = alice
    state.accounts.append(AccountRecord(did: .bob, handle: nil))
    return state
  }
}

extension BrowserRequest {
  /// A sign-in page whose answer comes through the shell.
  static var page: BrowserRequest {
    BrowserRequest(
      url: "https://pds.test/oauth/authorize?client_id=c&request_uri=urn%3Aone-time",
      host: "pds.test",
      callback: .shell(scheme: "com.example.grain", host: nil, path: "/callback"))
  }
}
