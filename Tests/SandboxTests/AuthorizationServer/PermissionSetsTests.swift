import StrictJSON
import Testing

@testable import Sandbox

@Suite("Permission sets")
struct PermissionSetsTests {
  private static func document(_ permissions: JSONValue) -> JSONValue {
    ["lexicon": 1, "defs": ["main": ["type": "permission-set", "permissions": permissions]]]
  }

  private func expand(
    _ entry: JSONValue, audience: String = "?aud=did:web:api.x.dev%23svc"
  ) -> [String] {
    PermissionSets(["dev.grain.authFull": Self.document([entry])]).expanded([
      "atproto", "include:dev.grain.authFull\(audience)",
    ])
  }

  @Test("an included set is replaced by its items, sorted and placed first (wire §12.4)")
  func expanded() async throws {
    let sets = PermissionSets([
      "dev.grain.authFull": Self.document([
        ["resource": "rpc", "lxm": ["dev.grain.getFeed"], "inheritAud": true],
        ["resource": "repo", "collection": ["dev.grain.photo", "dev.grain.gallery"]],
        ["resource": "repo", "collection": ["dev.grain.like"], "action": ["delete", "create"]],
      ])
    ])
    let items = ["atproto", "include:dev.grain.authFull?aud=did:web:api.x.dev%23svc", "blob:*/*"]
    #expect(
      sets.expanded(items) == [
        "repo:dev.grain.like?action=create&action=delete",
        "repo?collection=dev.grain.gallery&collection=dev.grain.photo",
        "rpc:dev.grain.getFeed?aud=did:web:api.x.dev%23svc", "atproto", "blob:*/*",
      ])
    #expect(
      sets.expanded(["b:c", "atproto"]) == ["b:c", "atproto"], "nothing included: as written")
  }

  @Test("entries outside the set's own names, or of no use, are skipped (wire §12.5)")
  func skipped() {
    let useless: [JSONValue] = [
      ["resource": "repo", "collection": ["dev.other.photo"]],
      ["resource": "repo", "collection": []],
      ["resource": "repo", "collection": ["dev.grain.photo"], "action": ["read"]],
      ["resource": "blob", "accept": ["*/*"]],
      ["resource": "rpc", "lxm": ["dev.grain.getFeed"]],
      ["resource": "rpc", "lxm": ["dev.grain.getFeed"], "inheritAud": false],
      ["resource": "rpc", "lxm": ["dev.grain.getFeed"], "aud": "did:web:a.dev#svc"],
      ["resource": "rpc", "lxm": ["dev.grain.getFeed"], "aud": "*", "inheritAud": true],
    ]
    for entry in useless { #expect(expand(entry) == ["atproto"], "\(entry.text())") }
    #expect(
      expand(["resource": "rpc", "lxm": ["dev.grain.getFeed"], "aud": "*"])
        == ["rpc:dev.grain.getFeed?aud=*", "atproto"])
    let inherits: JSONValue = [
      "resource": "rpc", "lxm": ["dev.grain.getFeed"], "inheritAud": true,
    ]
    #expect(expand(inherits, audience: "") == ["atproto"])
  }

  @Test("an audience with a port loses its double encoding, and so its use (wire §12.4)")
  func port() {
    let inherits: JSONValue = [
      "resource": "rpc", "lxm": ["dev.grain.getFeed"], "inheritAud": true,
    ]
    let items = expand(inherits, audience: "?aud=did:web:localhost%253A3000%23svc")
    #expect(items.first == "rpc:dev.grain.getFeed?aud=did:web:localhost%3A3000%23svc")
    #expect(items.first.flatMap(SandboxScope.init) == nil)
  }

  @Test("the grant of a set is what the set holds")
  func granted() async throws {
    let set = Self.document([["resource": "repo", "collection": ["dev.grain.photo"]]])
    let rig = try AuthorizationRig(
      settings: AuthorizationSettings(permissionSets: ["dev.grain.authFull": set]))
    let include = "include:dev.grain.authFull?aud=did:web:api.x.dev%23svc"
    let code = try await rig.code(["scope": "atproto \(include)"])
    let tokens = try Tokens(
      await rig.signedPost("/oauth/token", AuthorizationRig.codeFields(code)))
    #expect(tokens.scope == "repo:dev.grain.photo atproto")
  }
}

@Suite("Permissions in words")
struct PermissionTextTests {
  @Test(
    "every kind of item is put so that a person can decide",
    arguments: [
      ("atproto", "Know who you are"), ("repo:social.grain.photo", "Your photos"),
      ("repo:*", "All your records"), ("repo:a.b.c", "Records of type a.b.c"),
      ("blob:image/*", "Upload pictures"), ("blob:*/*", "Upload files of any kind"),
      ("account:email", "Your e-mail address"),
      ("account:repo?action=manage", "Your whole repository"),
      ("identity:*", "Your identity"), ("identity:handle", "Your handle"),
      ("transition:generic", "Almost everything"), ("include:a.b.c", "A set of permissions"),
      ("rpc:*?aud=did:web:x.dev%23svc", "Act for you elsewhere"), ("x:y", "x:y"),
    ])
  func titles(item: String, title: String) {
    #expect(PermissionText(item).title == title)
  }

  @Test("what exactly is allowed is said beneath")
  func details() {
    #expect(
      PermissionText("repo:social.grain.photo").detail == "Create, change and delete them.")
    #expect(
      PermissionText("repo:app.bsky.feed.post?action=create").detail == "Create them.")
    #expect(
      PermissionText("rpc:*?aud=did:web:grain.social%23grain_appview").detail
        == "Anything that service offers, at grain.social.")
    #expect(
      PermissionText("rpc:a.b.c?aud=did:web:appview.test%253A8443%23grain_appview").detail
        == "a.b.c, at appview.test:8443.")
    #expect(PermissionText("account:email?action=manage").detail == "See and change it.")
  }
}
