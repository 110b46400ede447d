import ATSyntax
import Foundation
import GrainTestSupport
import Sandbox
import StrictJSON
import Testing

@Suite struct SandboxScopeTests {
  private static let data = Comment(rawValue: SharedData.skipReason)

  @Test(
    "published permission scopes are understood, malformed ones are not",
    .enabled(if: SharedData.isPresent, data))
  func publishedPermissions() throws {
    for item in try SharedData.lines("atproto/scopes/permission_scopes_valid.txt") {
      #expect(SandboxScope(item) != nil, "\(item)")
    }
    for item in try SharedData.lines("atproto/scopes/permission_scopes_invalid.txt") {
      #expect(SandboxScope(item) == nil, "\(item)")
    }
  }

  @Test("published items come apart as the list says", .enabled(if: SharedData.isPresent, data))
  func publishedSyntax() throws {
    let file = try Data(contentsOf: SharedData.url("atproto/scopes/generic_scopes_valid.json"))
    let entries = try #require(try JSONParser.parse(Array(file)).arrayValue)
    for entry in entries {
      let syntax = try ScopeSyntax(try #require(entry["scope"]?.stringValue))
      #expect(syntax.resource == entry["generic"]?["resource"]?.stringValue)
      #expect(syntax.positional == entry["generic"]?["positional"]?.stringValue)
      let expected = entry["generic"]?["params"]?.objectValue?.members ?? []
      for (key, values) in expected {
        let found = syntax.parameters.filter { $0.key == key }.map { JSONValue.string($0.value) }
        #expect(.array(found) == values, "\(syntax)")
      }
      #expect(
        syntax.parameters.count == expected.compactMap(\.value.arrayValue?.count).reduce(0, +))
    }
    for item in try SharedData.lines("atproto/scopes/generic_scopes_invalid.txt") {
      #expect(throws: SandboxScopeError.self, "\(item)") { _ = try ScopeSyntax(item) }
    }
  }

  @Test(
    "encoding traps are read as the reference parser reads them (wire §12.2)",
    arguments: [
      ("rpc:*?aud=did:web:api.x.example%23svc", true), ("rpc:*?aud=did:web:api.x.example", false),
      ("rpc:*?aud=did:web:localhost%3A3000%23svc", false),
      ("rpc:*?aud=did:web:localhost%253A3000%23svc", true),
      ("blob?accept=image/svg+xml", false), ("blob:image/svg+xml", true),
      ("blob?accept=image/svg%2Bxml", true), ("blob:image/PNG", true), ("repo:app.x.*", false),
      ("repo:a.b.c?collection=a.b.d", false), ("account:status", false),
    ])
  func traps(item: String, expected: Bool) {
    #expect((SandboxScope(item) != nil) == expected)
  }

  @Test("a broken escape is told apart from an unknown item")
  func undecodable() {
    #expect(throws: SandboxScopeError.undecodable) { _ = try SandboxScope.parse("repo:%zz") }
    #expect(throws: SandboxScopeError.notUnderstood) { _ = try SandboxScope.parse("repo:*&x") }
  }

  @Test("a repository permission covers its collections and actions only")
  func repo() throws {
    let create = try #require(SandboxScope("repo:app.bsky.feed.post?action=create"))
    #expect(create.allowsRepo("app.bsky.feed.post", .create))
    #expect(!create.allowsRepo("app.bsky.feed.post", .update))
    #expect(!create.allowsRepo("social.grain.photo", .create))
    let all = try #require(SandboxScope("repo:social.grain.photo"))
    #expect(RepoAction.allCases.allSatisfy { all.allowsRepo("social.grain.photo", $0) })
    #expect(!all.allowsRepo("social.grain.photo.exif", .create))
    #expect(try #require(SandboxScope("repo:*?action=delete")).allowsRepo("a.b.c", .delete))
  }

  @Test("a blob permission matches the declared type literally")
  func blob() throws {
    let images = try #require(SandboxScope("blob:image/*"))
    #expect(images.allowsBlob("image/jpeg"))
    #expect(!images.allowsBlob("video/mp4"))
    #expect(!images.allowsBlob("Image/jpeg"))
    #expect(try !#require(SandboxScope("blob:image/PNG")).allowsBlob("image/png"))
    #expect(try #require(SandboxScope("blob:*/*")).allowsBlob("text/html"))
  }

  @Test("a call permission names method and audience, a port doubly escaped (G96)")
  func rpc() throws {
    let grain = try #require(
      SandboxScope("rpc:*?aud=did:web:127.0.0.1%253A3000%23grain_appview"))
    #expect(grain.allowsRPC(lxm: "a.b.c", aud: "did:web:127.0.0.1%3A3000#grain_appview"))
    #expect(!grain.allowsRPC(lxm: "a.b.c", aud: "did:web:127.0.0.1%3A3000#other"))
    #expect(!grain.allowsRPC(lxm: "a.b.c", aud: "did:web:127.0.0.1%3A3000"))
    let anywhere = try #require(SandboxScope("rpc:a.b.c?aud=*"))
    #expect(anywhere.allowsRPC(lxm: "a.b.c", aud: "did:web:x.example#y"))
    #expect(!anywhere.allowsRPC(lxm: "a.b.d", aud: "did:web:x.example#y"))
  }

  @Test("the legacy bundles cover what they always covered")
  func transition() throws {
    let generic = try #require(SandboxScope("transition:generic"))
    #expect(generic.allowsRepo("a.b.c", .delete))
    #expect(generic.allowsBlob("video/mp4"))
    #expect(generic.allowsRPC(lxm: "app.bsky.feed.getTimeline", aud: "x#y"))
    #expect(!generic.allowsRPC(lxm: "chat.bsky.convo.listConvos", aud: "x#y"))
    #expect(!generic.allowsIdentity("handle"))
    #expect(!generic.allowsAccount("email", manage: false))
    #expect(try #require(SandboxScope("transition:email")).allowsAccount("email", manage: false))
    #expect(
      try #require(SandboxScope("transition:chat.bsky")).allowsRPC(lxm: "chat.bsky.a", aud: "x#y"))
  }

  @Test("account management implies reading; identity has its wildcard")
  func accountAndIdentity() throws {
    let manage = try #require(SandboxScope("account:email?action=manage"))
    #expect(manage.allowsAccount("email", manage: false))
    #expect(try !#require(SandboxScope("account:email")).allowsAccount("email", manage: true))
    #expect(try #require(SandboxScope("identity:*")).allowsIdentity("handle"))
    #expect(try !#require(SandboxScope("identity:handle")).allowsIdentity("plc"))
    #expect(try #require(SandboxScope("atproto")).isATProto)
  }

  @Test("an include names its set and the audience it lends")
  func include() throws {
    let include = try #require(SandboxScope("include:app.example.auth?aud=did:web:a.example%23svc"))
    #expect(include.includeNSID?.rawValue == "app.example.auth")
    #expect(include.includeAudience == "did:web:a.example#svc")
  }
}
