import ATOAuth
import ATSyntax
import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Scopes as permissions")
struct ScopeTests {
  @Test(
    "every published valid permission is understood, every invalid one is not",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func publishedPermissions() throws {
    let valid = try SharedData.lines("atproto/scopes/permission_scopes_valid.txt")
    let invalid = try SharedData.lines("atproto/scopes/permission_scopes_invalid.txt")
    #expect(valid.count > 30 && invalid.count > 60)
    for item in valid { #expect(Permission(item) != nil, "\(item)") }
    for item in invalid { #expect(Permission(item) == nil, "\(item)") }
  }

  @Test(
    "the published general grammar is read as published",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func publishedGrammar() throws {
    let bytes = try Data(contentsOf: SharedData.url("atproto/scopes/generic_scopes_valid.json"))
    let cases = try #require(try JSONParser.parse(Array(bytes)).arrayValue)
    #expect(cases.count > 10)
    for entry in cases {
      let text = try #require(entry["scope"]?.stringValue)
      let item = try #require(ScopeItem(text), "\(text)")
      #expect(item.resource == entry[pointer: "/generic/resource"]?.stringValue)
      #expect(item.positional ?? "" == entry[pointer: "/generic/positional"]?.stringValue)
      let expected = entry[pointer: "/generic/params"]?.objectValue ?? [:]
      #expect(Set(item.parameters.map(\.name)) == Set(expected.keys))
      for (name, values) in expected.members {
        #expect(
          item.parameters.filter { $0.name == name }.map { JSONValue.string($0.value) }
            == values.arrayValue)
      }
    }
    for text in try SharedData.lines("atproto/scopes/generic_scopes_invalid.txt") {
      #expect(ScopeItem(text) == nil, "\(text)")
    }
  }

  @Test(
    "the encoding traps of the reference parser (G77, G96)",
    arguments: [
      ("rpc:*?aud=did:web:api.x.example%23svc", true),
      ("rpc:*?aud=did:web:api.x.example#svc", true),
      ("rpc:*?aud=did:web:api.x.example", false),
      ("rpc:*?aud=did:web:localhost%3A3000%23svc", false),
      ("rpc:*?aud=did:web:localhost%253A3000%23svc", true),
      ("blob?accept=image/svg+xml", false), ("blob:image/svg+xml", true),
      ("blob:image/svg%2Bxml", true), ("repo:app.x.*", false), ("repo:%zz", false),
      ("rpc:*?aud=*", false), ("atproto?x", false), ("transition:generic", true),
      ("transition:other", false), ("transition?x=generic", false), ("", false),
    ])
  func traps(item: String, isUnderstood: Bool) {
    #expect((Permission(item) != nil) == isUnderstood)
  }

  @Test("what a granted scope allows is decided operation by operation (atproto-wire §12)")
  func operations() {
    let scope = ScopeSet(
      """
      atproto repo:social.grain.photo repo:app.bsky.feed.post?action=create blob:image/* \
      rpc:*?aud=did:web:grain.social%23grain_appview rpc:a.b.c?aud=* account:email identity:handle
      """)
    let allowed: [ScopeOperation] = [
      .atproto, .repo(collection: "social.grain.photo", action: .create),
      .repo(collection: "social.grain.photo", action: .update),
      .repo(collection: "social.grain.photo", action: .delete),
      .repo(collection: "app.bsky.feed.post", action: .create), .blob(mediaType: "image/png"),
      .blob(mediaType: "image/*"),
      .rpc(method: "x.y.z", audience: "did:web:grain.social#grain_appview"),
      .rpc(method: "*", audience: "did:web:grain.social#grain_appview"),
      .rpc(method: "a.b.c", audience: "did:web:other.example#any"),
      .account(attribute: "email", manages: false), .identity(attribute: "handle"),
    ]
    let refused: [ScopeOperation] = [
      .repo(collection: "social.grain.gallery", action: .create),
      .repo(collection: "*", action: .create),
      .repo(collection: "app.bsky.feed.post", action: .update), .blob(mediaType: "video/mp4"),
      .blob(mediaType: "*/*"), .blob(mediaType: "IMAGE/png"),
      .rpc(method: "x.y.z", audience: "did:web:grain.social#other"),
      .rpc(method: "x.y.z", audience: "did:web:grain.social"),
      .account(attribute: "email", manages: true), .account(attribute: "repo", manages: false),
      .identity(attribute: "*"),
    ]
    for operation in allowed { #expect(scope.allows(operation), "\(operation)") }
    for operation in refused { #expect(!scope.allows(operation), "\(operation)") }
  }

  @Test("the bundles of old cover what they cover and no more")
  func transition() {
    let generic = ScopeSet("atproto transition:generic")
    #expect(generic.allows(.repo(collection: "a.b.c", action: .delete)))
    #expect(generic.allows(.blob(mediaType: "video/mp4")))
    #expect(generic.allows(.rpc(method: "a.b.c", audience: "did:web:x.example#y")))
    #expect(
      !generic.allows(.rpc(method: "chat.bsky.convo.listConvos", audience: "did:web:x.example#y")))
    #expect(!generic.allows(.account(attribute: "email", manages: false)))
    #expect(!generic.allows(.identity(attribute: "handle")))
    let chat = ScopeSet("transition:chat.bsky")
    #expect(
      chat.allows(.rpc(method: "chat.bsky.convo.listConvos", audience: "did:web:x.example#y")))
    #expect(!chat.allows(.rpc(method: "a.b.c", audience: "did:web:x.example#y")))
    let email = ScopeSet("transition:email")
    #expect(email.allows(.account(attribute: "email", manages: false)))
    #expect(!email.allows(.account(attribute: "email", manages: true)))
  }

  @Test(
    "order, spacing, spelling and additions do not matter; what is missing is named (FB-A23, G63)")
  func comparison() {
    let wanted = ScopeSet("atproto repo:a.b.c rpc:*?aud=did:web:x.example%23y blob:image/*")
    let granted = ScopeSet(
      "blob?accept=*/*  rpc?aud=did%3Aweb%3Ax.example%23y&lxm=*  repo:d.e.f "
        + "repo?collection=a.b.c&action=update&action=create&action=delete atproto weird:thing")
    #expect(wanted.missing(in: granted) == [])
    #expect(granted.unknown == ["weird:thing"])
    #expect(
      wanted.missing(in: ScopeSet("atproto repo:a.b.c?action=create blob:image/*")) == [
        .repo(collection: "a.b.c", action: .update), .repo(collection: "a.b.c", action: .delete),
        .rpc(method: "*", audience: "did:web:x.example#y"),
      ])
    #expect(wanted.missing(in: ScopeSet("")) == wanted.operations)
  }

  @Test("atproto must stand there literally")
  func atproto() {
    #expect(ScopeSet(" x  atproto ").hasATProto)
    for scope in ["", "atproto2", "transition:generic", "ATPROTO", "atproto:x"] {
      #expect(!ScopeSet(scope).hasATProto)
    }
  }

  @Test(
    "a service has two spellings: plain for the header, encoded once more in a scope (G96, G116)")
  func audience() throws {
    let local = ServiceAudience(
      did: try .init("did:web:127.0.0.1%3A3000"), service: "grain_appview")
    #expect(local.proxyHeader == "did:web:127.0.0.1%3A3000#grain_appview")
    #expect(local.scopeValue == "did:web:127.0.0.1%253A3000%23grain_appview")
    let scope = ScopeSet("atproto rpc:*?aud=\(local.scopeValue)")
    #expect(scope.allows(.rpc(method: "a.b.c", audience: local.proxyHeader)))
  }
}
