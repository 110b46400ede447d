import ATSyntax
import Foundation
import GrainLexicon
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite struct AppViewTests {
  /// Publishes a gallery of one photo with EXIF the way the app does, and returns its URIs.
  private func publish(_ visit: SandboxVisit, title: String = "Harbour", key: String = "g")
    async throws -> [String]
  {
    let upload = try await visit.upload([0xff, 0xd8, 0xff, 0xe0, 1], as: "image/jpeg")
    let blob = try #require(upload["blob"].flatMap(BlobReference.init(json:)))
    let date = try ATDateTime("2024-05-01T12:00:00.000Z")
    func uri(_ collection: NSID) throws -> ATURI {
      ATURI(visit.alice, collection, try RecordKey(key))
    }
    let records: [any LexiconRecord] = [
      PhotoRecord(
        photo: blob, alt: "A gull", aspectRatio: AspectRatio(width: 3, height: 2), createdAt: date),
      PhotoEXIFRecord(
        photo: try uri(CollectionNames.photo), createdAt: date,
        exif: PhotoEXIF(
          exposureTime: 1 / 60, fNumber: 2.8, focalLengthIn35mmFormat: 35, iSO: 400, make: "Leica",
          model: "Q2")),
      GalleryRecord(
        title: title, facets: [Facet(bytes: 0..<5, feature: .tag("Gull"))], labels: ["nudity"],
        location: GridLocation(value: "8a2656088b17fff", name: "Kansas City"), createdAt: date),
      GalleryItemRecord(
        gallery: try uri(CollectionNames.gallery), item: try uri(CollectionNames.photo),
        position: 0,
        createdAt: date),
    ]
    let writes = records.map { record -> JSONValue in
      [
        "$type": "com.atproto.repo.applyWrites#create",
        "collection": .string(type(of: record).collection.rawValue), "rkey": .string(key),
        "value": .object(record.json),
      ]
    }
    let answer = try await visit.call(
      "com.atproto.repo.applyWrites",
      ["repo": .string(visit.alice.rawValue), "writes": .array(writes)])
    return try #require(answer["results"]?.arrayValue).compactMap { $0["uri"]?.stringValue }
  }

  @Test("a write is invisible until it is indexed, and a delete visible until then")
  func indexing() async throws {
    try await SandboxVisit.run { visit in
      let uris = try await publish(visit)
      let gallery = [("gallery", "at://\(visit.alice)/social.grain.gallery/g")]
      #expect(try await visit.proxied(MethodNames.getGallery, gallery).status == 404)
      #expect(try await visit.index(uris).json == [:])
      #expect(try await visit.proxied(MethodNames.getGallery, gallery).status == 200)

      _ = try await visit.delete("social.grain.gallery", "g")
      #expect(try await visit.proxied(MethodNames.getGallery, gallery).status == 200)
      _ = try await visit.index(uris)
      #expect(try await visit.proxied(MethodNames.getGallery, gallery).status == 404)
    }
  }

  @Test("deleting an account forgets all that is known of it, and nothing in its repository (G115)")
  func deletion() async throws {
    try await SandboxVisit.run { visit in
      let uris = try await publish(visit)
      _ = try await visit.index(uris)
      let gallery = [("gallery", "at://\(visit.alice)/social.grain.gallery/g")]
      let method = MethodNames.deleteAccount
      #expect(try await visit.proxied(method, []).status == 400)
      let more = try await visit.call(method.rawValue, ["all": true], proxy: visit.proxyHeader)
      #expect(more.status == 400)
      #expect(try await visit.proxied(MethodNames.getGallery, gallery).status == 200)

      #expect(try await visit.proxied(acting: method).json == [:])
      #expect(try await visit.proxied(MethodNames.getGallery, gallery).status == 404)
      let kept = try await visit.network.records(of: visit.alice, in: CollectionNames.gallery)
      #expect(kept.count == 1)
      // Whoever is told of what is gone learns nothing new of the account.
      _ = try await visit.delete("social.grain.gallery", "g")
      _ = try await visit.index(uris.filter { $0.hasSuffix("social.grain.gallery/g") })
      let search = try await visit.proxied(MethodNames.searchActorsTypeahead, [("q", "alice")])
      #expect(search["actors"] == [])
    }
  }

  @Test("a gallery's view carries its photos with EXIF in words (grain-product §10)")
  func galleryView() async throws {
    try await SandboxVisit.run { visit in
      _ = try await visit.index(try await publish(visit))
      let answer = try await visit.proxied(
        MethodNames.getGallery, [("gallery", "at://alice.test/social.grain.gallery/g")])
      let gallery = try #require(answer["gallery"])
      #expect(gallery["title"] == "Harbour")
      #expect(gallery["creator"]?["handle"] == "alice.test")
      #expect(gallery["cameras"] == ["Leica Q2"])
      #expect(gallery["locationDisplay"] == "Kansas City")
      #expect(gallery["labels"]?.arrayValue?.first?["val"] == "nudity")
      #expect(gallery["favCount"] == 0)
      #expect(gallery["viewer"] == [:])
      #expect(gallery["record"]?["$type"] == "social.grain.gallery")
      let item = try #require(gallery["items"]?.arrayValue?.first)
      #expect(item["alt"] == "A gull")
      #expect(item["aspectRatio"] == ["width": 3, "height": 2])
      #expect(item["gallery"]?["itemPosition"] == 0)
      #expect(item["exif"]?["exposureTime"] == "1/60s")
      #expect(item["exif"]?["fNumber"] == "f/2.8")
      #expect(item["exif"]?["focalLengthIn35mmFormat"] == "35mm")
      #expect(item["exif"]?["iSO"] == 400)
      let picture = try await visit.send("GET", try #require(item["fullsize"]?.stringValue))
      #expect(picture.body == [0xff, 0xd8, 0xff, 0xe0, 1])
      #expect(picture.headers["Content-Type"] == "image/jpeg")
    }
  }

  @Test("a favourite is counted and shown to whom it belongs")
  func favorites() async throws {
    try await SandboxVisit.run { visit in
      _ = try await visit.index(try await publish(visit))
      let uri = "at://\(visit.alice)/social.grain.gallery/g"
      let favorite = try await visit.create(
        "social.grain.favorite", ["subject": .string(uri), "createdAt": "2024-05-02T00:00:00.000Z"])
      let favoriteURI = try #require(favorite["uri"]?.stringValue)
      _ = try await visit.index([favoriteURI])
      let gallery = try await visit.proxied(MethodNames.getGallery, [("gallery", uri)])["gallery"]
      #expect(gallery?["favCount"] == 1)
      #expect(gallery?["viewer"]?["fav"] == .string(favoriteURI))
      let anonymous = try await visit.query(
        MethodNames.getGallery.rawValue, [("gallery", uri)], at: visit.network.addresses.appView)
      #expect(anonymous["gallery"]?["viewer"] == nil)
    }
  }

  @Test("feeds page from the newest down and know places, cameras and tags")
  func feeds() async throws {
    try await SandboxVisit.run { visit in
      for index in 0..<3 {
        _ = try await visit.index(try await publish(visit, title: "G\(index)", key: "g\(index)"))
      }
      func titles(_ parameters: [(String, String)]) async throws -> ([String?], String?) {
        let answer = try await visit.proxied(MethodNames.getFeed, parameters)
        let items = try #require(answer["items"]?.arrayValue)
        return (items.map { $0["title"]?.stringValue }, answer["cursor"]?.stringValue)
      }
      let (first, cursor) = try await titles([("feed", "recent"), ("limit", "2")])
      #expect(first == ["G2", "G1"])
      let (second, end) = try await titles([
        ("feed", "recent"), ("limit", "2"), ("cursor", try #require(cursor)),
      ])
      #expect(second == ["G0"])
      #expect(end == nil)
      for parameters in [
        [("feed", "actor"), ("actor", "alice.test")], [("feed", "camera"), ("camera", "Leica Q2")],
        [("feed", "hashtag"), ("tag", "gull")],
        [("feed", "location"), ("location", "8a2656088b17fff")],
      ] {
        #expect(try await titles(parameters).0.count == 3, "\(parameters)")
      }
      #expect(try await titles([("feed", "actor"), ("actor", "bob.test")]).0 == [])
      #expect(try await titles([("feed", "following"), ("actor", visit.alice.rawValue)]).0 == [])
      #expect(try await visit.proxied(MethodNames.getFeed, [("feed", "x")]).status == 400)
    }
  }

  @Test("a profile counts what is indexed and says how the viewer stands to it")
  func profiles() async throws {
    try await SandboxVisit.run { visit in
      let bob = try await visit.proxied(MethodNames.getActorProfile, [("actor", "bob.test")])
      #expect(bob["displayName"] == "Bob")
      #expect(bob["did"] == .string(visit.bob.rawValue))
      #expect(bob["followersCount"] == 0)
      let follow = try await visit.create(
        "social.grain.graph.follow",
        ["subject": .string(visit.bob.rawValue), "createdAt": "2024-05-02T00:00:00.000Z"])
      _ = try await visit.index([try #require(follow["uri"]?.stringValue)])
      let after = try await visit.proxied(MethodNames.getActorProfile, [("actor", "bob.test")])
      #expect(after["followersCount"] == 1)
      #expect(after["viewer"]?["following"] == follow["uri"])
      let unknown = try await visit.proxied(MethodNames.getActorProfile, [("actor", "zoe.test")])
      #expect(unknown.status == 404)
    }
  }

  @Test("suggestions match the start of a handle or a name, without credentials (grain-product §5)")
  func typeahead() async throws {
    try await SandboxVisit.run { visit in
      let answer = try await visit.query(
        "app.bsky.actor.searchActorsTypeahead", [("q", "Bo")], at: visit.network.addresses.appView)
      #expect(
        answer["actors"] == [
          ["did": .string(visit.bob.rawValue), "handle": "bob.test", "displayName": "Bob"]
        ])
    }
  }

  @Test("a record is read as it was written")
  func getRecord() async throws {
    try await SandboxVisit.run { visit in
      let uris = try await publish(visit)
      _ = try await visit.index(uris)
      let answer = try await visit.proxied(MethodNames.getRecord, [("uri", uris[2])])
      #expect(answer["record"]?["value"]?["title"] == "Harbour")
      #expect(answer["record"]?["uri"] == .string(uris[2]))
    }
  }

  @Test("indexing takes 25 URIs, in somebody's name, and fails when it cannot tell (G48)")
  func indexRules() async throws {
    try await SandboxVisit.run { visit in
      let uri = "at://\(visit.alice)/social.grain.gallery/none"
      #expect(try await visit.index(Array(repeating: uri, count: 25)).status == 200)
      #expect(
        try await visit.index(Array(repeating: uri, count: 26)).refusal
          == "400 InvalidRequest: array too big (maximum 25, got 26) at $.uris")
      #expect(try await visit.index(["at://alice.test/social.grain.gallery/g"]).status == 400)
      let anonymous = try await visit.send(
        "POST",
        "\(visit.network.addresses.appView.absoluteString)/xrpc/social.grain.sync.indexRecords",
        headers: ["Content-Type": "application/json"], body: .bytes(Array(#"{"uris":[]}"#.utf8)))
      #expect(anonymous.refusal == "401 AuthMissing: Authentication Required")

      let uris = try await publish(visit)
      _ = try await visit.index(uris)
      await visit.network.faults.add(
        .status(503), on: .init(server: "pds", pathPrefix: "/xrpc/com.atproto.repo.getRecord"))
      #expect(try await visit.index([uris[2]]).status == 502)
      #expect(try await visit.proxied(MethodNames.getRecord, [("uri", uris[2])]).status == 200)
    }
  }

  @Test(
    "a service token for another method, another service or another time is refused (wire §10.4)")
  func serviceTokens() async throws {
    try await SandboxVisit.run { visit in
      let feed =
        "\(visit.network.addresses.appView.absoluteString)/xrpc/dev.hatk.getFeed?feed=recent"
      func ask(_ audience: String, _ method: String) async throws -> Answer {
        let answer = try await visit.query(
          "com.atproto.server.getServiceAuth", [("aud", audience), ("lxm", method)],
          as: visit.alice, scopes: ["atproto", "transition:generic"])
        let token = try #require(answer["token"]?.stringValue)
        return try await visit.send("GET", feed, headers: ["Authorization": "Bearer \(token)"])
      }
      let did = visit.network.addresses.appViewDID.rawValue
      #expect(try await ask(did, "dev.hatk.getFeed").status == 200)
      #expect(try await ask(did, "dev.hatk.getRecord")["error"] == "BadJwtLexiconMethod")
      #expect(try await ask("did:web:x.example", "dev.hatk.getFeed")["error"] == "BadJwtAudience")
      let malformed = try await visit.send("GET", feed, headers: ["Authorization": "Bearer x"])
      #expect(malformed.refusal == "401 BadJwt: poorly formatted jwt")
      visit.network.plcDirectory.vary {
        $0.replacements[visit.alice] = ["id": .string(visit.alice.rawValue)]
      }
      #expect(try await ask(did, "dev.hatk.getFeed")["error"] == "BadJwtIssuer")
    }
  }

  @Test("the AppView publishes itself and the app's client document (wire §4.1)")
  func documents() async throws {
    try await SandboxVisit.run { visit in
      let addresses = visit.network.addresses
      let did = try await visit.send(
        "GET", "\(addresses.appView.absoluteString)/.well-known/did.json")
      #expect(did["id"] == .string(addresses.appViewDID.rawValue))
      #expect(did["service"]?.arrayValue?.first?["id"] == "#grain_appview")
      let client = try await visit.send("GET", addresses.clientID)
      #expect(client.headers["Content-Type"] == "application/json")
      #expect(client["client_id"] == .string(addresses.clientID))
      #expect(client["scope"] == .string(addresses.scope))
      #expect(client["redirect_uris"] == ["social.grain:/oauth/callback"])
    }
  }
}
