import ATSyntax
import GrainLexicon
import StrictJSON
import Testing

@Suite struct AppViewServiceTests {
  @Test("the scope is the app's list, in its order (grain-product §1)")
  func productionScope() throws {
    let service = AppViewService(did: try DID("did:web:grain.social"))
    #expect(
      service.scopeItems == [
        "atproto", "blob:image/*", "repo:social.grain.gallery", "repo:social.grain.gallery.item",
        "repo:social.grain.photo", "repo:social.grain.photo.exif",
        "repo:social.grain.actor.profile", "repo:social.grain.graph.follow",
        "repo:social.grain.graph.block", "repo:social.grain.favorite",
        "repo:social.grain.comment", "repo:social.grain.story",
        "repo:app.bsky.feed.post?action=create",
        "rpc:*?aud=did:web:grain.social%23grain_appview",
      ])
    #expect(service.proxyHeader == "did:web:grain.social#grain_appview")
  }

  @Test("a development AppView's port is escaped once more in the scope (G96)")
  func developmentScope() throws {
    let service = AppViewService(did: try DID(webHost: "127.0.0.1:3000"))
    #expect(service.proxyHeader == "did:web:127.0.0.1%3A3000#grain_appview")
    #expect(
      service.scopeItems.last == "rpc:*?aud=did:web:127.0.0.1%253A3000%23grain_appview")
  }

  @Test("cross-posts are not indexed, Grain's own records are")
  func indexedCollections() {
    #expect(CollectionNames.isIndexed(CollectionNames.photoEXIF))
    #expect(!CollectionNames.isIndexed(CollectionNames.blueskyPost))
  }

  @Test("a blob reference is read back as the server gave it, and nothing else is one")
  func blobReference() {
    let blob = BlobReference(cid: CID(rawSHA256: []), mimeType: "image/png", size: 1)
    #expect(BlobReference(json: blob.json) == blob)
    #expect(
      BlobReference(json: ["cid": .string(blob.cid.rawValue), "mimeType": "image/png"]) == nil)
    #expect(BlobReference(json: "text") == nil)
  }
}
