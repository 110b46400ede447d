import ATSyntax
import Foundation
import GrainLexicon
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite("What others have written into records", .serialized)
struct ForeignValuesTests {
  /// What a decoder that means well would change: a boolean, a whole number or none, a number with more
  /// digits than a `Double` has, a slash, nothing.
  private static let values =
    #"{"yes":true,"one":1,"zero":0,"whole":1.0,"tenth":0.1,"power":1e2,"below":-0.0,"#
    + #""large":9007199254740993,"precise":0.12345678901234567890,"address":"https://a/b","#
    + #""nothing":null,"inside":[null,{"no":false,"nothing":null,"two":2.50}]}"#

  @Test(
    "values this core does not know go back as they came, digit by digit, also after a restart (FB-F8)"
  )
  func digits() async throws {
    try await World.run { world in try await goBack(in: world) }
  }

  private func goBack(in world: World) async throws {
    let first = try await world.core()
    try await first.shell.signIn()
    let made = try await first.shell.draft(try world.samplePhotos())
    #expect(try await first.shell.publish(made).description == "succeeded")
    let gallery = try #require(try await world.repository().galleries.first?.uri)
    // The sandbox stores no fractions, other servers may: a word stands for them there.
    let collections = [
      CollectionNames.gallery, CollectionNames.photo, CollectionNames.galleryItem,
    ]
    for collection in collections {
      for record in try await world.repository().all(collection) {
        var value = try #require(record.value.objectValue)
        value["theme"] = "GRAINTHEME"
        try await world.network.write(value, at: try ATURI(record.uri))
      }
    }
    let disguise = RequestTap.Disguise(atServers: #""GRAINTHEME""#, inCore: Self.values)
    first.tap.disguise = disguise
    let draft = try await first.shell.edit(gallery)
    try await first.end()

    let second = try await world.core()
    second.tap.disguise = disguise
    try await second.shell.open(draft)
    let ids = try await second.shell.photos(of: draft)
    let name = JSONValue.string(draft)
    try await second.shell.call("gallery.setDetails", ["draft": name, "title": "Mended"])
    for id in ids {
      try await second.shell.call(
        "gallery.setAlt", ["draft": name, "photo": .string(id), "alt": "A gate"])
    }
    try await second.shell.call(
      "gallery.movePhoto", ["draft": name, "photo": .string(ids[2]), "before": .string(ids[0])])
    #expect(try await second.shell.publish(draft).description == "succeeded")

    let write = second.tap.requests.last { $0.url.path() == Path.applyWrites }
    guard case .bytes(let bytes)? = write?.body else {
      Issue.record("nothing was written")
      return
    }
    let body = String(decoding: bytes, as: UTF8.self)
    // The head, three captions, three places.
    #expect(body.matches(of: /"\$type":"com.atproto.repo.applyWrites#update"/).count == 7)
    #expect(body.ranges(of: #""theme":"# + Self.values).count == 7)
    #expect(try await world.repository().galleries.first?.title == "Mended")
    try await second.end()
  }
}
