import ATSyntax
import GrainLexicon
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite struct BlobTests {
  private let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + Array(repeating: 7, count: 100)
  private let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]

  private func blob(_ answer: Answer) throws -> BlobReference {
    try #require(answer["blob"].flatMap(BlobReference.init(json:)))
  }

  @Test("an uploaded blob is named by its bytes and can be had once a record references it")
  func uploadAndReference() async throws {
    try await SandboxVisit.run { visit in
      let blob = try blob(try await visit.upload(jpeg, as: "image/jpeg"))
      #expect(blob == BlobReference(cid: CID(rawSHA256: jpeg), mimeType: "image/jpeg", size: 104))
      let address = [("did", visit.alice.rawValue), ("cid", blob.cid.rawValue)]
      let early = try await visit.query("com.atproto.sync.getBlob", address)
      #expect(early.refusal == "400 BlobNotFound: Blob not found")

      _ = try await visit.create("social.grain.photo", ["photo": blob.json], key: "p")
      let there = try await visit.query("com.atproto.sync.getBlob", address)
      #expect(there.body == jpeg)
      #expect(there.headers["Content-Type"] == "image/jpeg")
      #expect(there.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")

      _ = try await visit.delete("social.grain.photo", "p")
      #expect(try await visit.query("com.atproto.sync.getBlob", address).status == 400)
    }
  }

  @Test("a blob stays while any record references it")
  func twoReferences() async throws {
    try await SandboxVisit.run { visit in
      let blob = try blob(try await visit.upload(jpeg, as: "image/jpeg"))
      _ = try await visit.create("social.grain.photo", ["photo": blob.json], key: "a")
      _ = try await visit.create("app.bsky.feed.post", ["x": blob.json], more: ["validate": false])
      _ = try await visit.delete("social.grain.photo", "a")
      let address = [("did", visit.alice.rawValue), ("cid", blob.cid.rawValue)]
      #expect(try await visit.query("com.atproto.sync.getBlob", address).status == 200)
      // A permanent blob is not checked again (wire §11.6).
      let lie = BlobReference(cid: blob.cid, mimeType: "image/png", size: 1)
      #expect(try await visit.create("social.grain.photo", ["photo": lie.json]).status == 200)
    }
  }

  @Test("the server sniffs: a PNG declared as JPEG comes back as PNG")
  func sniffing() async throws {
    try await SandboxVisit.run { visit in
      #expect(try blob(try await visit.upload(png, as: "image/jpeg")).mimeType == "image/png")
      let unknown = try await visit.upload([1, 2, 3], as: "image/x-raw; a=b")
      #expect(try blob(unknown).mimeType == "image/x-raw")
      let webp = Array("RIFF....WEBPVP8 ".utf8)
      #expect(try blob(try await visit.upload(webp, as: "image/jpeg")).mimeType == "image/webp")
    }
  }

  @Test("the first reference must repeat type and size as they were returned (wire §11.6)")
  func firstReference() async throws {
    try await SandboxVisit.run { visit in
      let blob = try blob(try await visit.upload(png, as: "image/jpeg"))
      let type = BlobReference(cid: blob.cid, mimeType: "image/jpeg", size: blob.size)
      #expect(
        try await visit.create("social.grain.photo", ["photo": type.json]).refusal
          == "400 InvalidMimeType: Referenced Mimetype does not match stored blob. Expected: image/png, Got: image/jpeg"
      )
      let size = BlobReference(cid: blob.cid, mimeType: blob.mimeType, size: 12)
      #expect(
        try await visit.create("social.grain.photo", ["photo": size.json]).refusal
          == "400 InvalidSize: Referenced Size does not match stored blob. Expected: 11, Got: 12")
      #expect(try await visit.create("social.grain.photo", ["photo": blob.json]).status == 200)
    }
  }

  @Test("the permission is for the declared type, and asked before the size")
  func permission() async throws {
    try await SandboxVisit.run { visit in
      let video = try await visit.upload(jpeg, as: "video/mp4")
      #expect(video.refusal == "403 ScopeMissingError: Missing required scope \"blob:video/mp4\"")
      let upper = try await visit.upload(jpeg, as: "Image/JPEG")
      #expect(upper.status == 403)
    }
  }

  @Test(
    "a blob over the limit is too large under the name blobs have; describeServer tells the limit")
  func size() async throws {
    var configuration = SandboxConfiguration()
    configuration.blobUploadLimit = 1000
    try await SandboxVisit.run(configuration) { visit in
      let big = try await visit.upload(Array(repeating: 1, count: 1001), as: "image/png")
      #expect(big.refusal == "413 PayloadTooLarge: request entity too large")
      #expect(
        try await visit.upload(Array(repeating: 1, count: 1000), as: "image/png").status == 200)
      let server = try await visit.query("com.atproto.server.describeServer")
      #expect(server["blobUploadLimit"] == 1000)
      #expect(server["availableUserDomains"] == [".test"])
    }
  }

  @Test("an upload needs a type and bytes")
  func malformed() async throws {
    try await SandboxVisit.run { visit in
      let empty = try await visit.upload([], as: "image/png")
      #expect(
        empty.refusal == "400 InvalidRequest: A request body is expected but none was provided")
    }
  }
}
