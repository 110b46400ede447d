import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("Uploading photographs")
struct UploadTests {
  @Test("a server that wants fewer requests gets one upload at a time from then on")
  func slowDown() {
    let photos = (1...6).map { "p\($0)" }
    var machine = PublishMachine(
      photos: photos, unprepared: [], waiting: photos, parallelUploads: 3, attemptedBefore: false,
      committed: false)
    #expect(machine.start().count == 3)
    machine.slowDown()
    #expect(machine.take(.uploaded(photo: "p1")) == [])
    #expect(machine.take(.uploaded(photo: "p2")) == [])
    #expect(machine.take(.uploaded(photo: "p3")) == [.upload(photo: "p4")])
    #expect(machine.take(.uploaded(photo: "p4")) == [.upload(photo: "p5")])
  }

  @Test("a refusal for too many requests slows the whole publish down")
  func rateLimited() async throws {
    let world = try await DraftWorld()
    world.repository.onUpload(
      "photo1.image", .remote(.rateLimited(host: "pds.test", retryAfter: .seconds(2))))
    let gate = world.repository.hold("photo2.image")
    let publishing = Task { await world.publish(try await world.preparedDraft(photos: 6)) }
    await gate.arrivals(atLeast: 1)
    gate.open()
    _ = try await publishing.value.get()
    #expect(world.naps.values.first == .seconds(2))
    #expect(world.repository.uploads.count == 7)
  }

  @Test("the bytes that are out never grow fewer, also when an upload starts over")
  func neverBackwards() async throws {
    let world = try await DraftWorld()
    let lost = CallFault.remote(.dropped(host: "pds.test"))
    world.repository.onUpload("photo2.image", lost, lost)
    _ = try await world.publish(world.preparedDraft(photos: 3)).get()
    let sent = world.progress.values.compactMap { step -> Int64? in
      if case .uploading(_, _, let sent, _) = step { sent } else { nil }
    }
    #expect(sent.count >= 3)
    #expect(sent == sent.sorted())
  }

  @Test("what the server says it has must be what was sent", arguments: [true, false])
  func content(isHonest: Bool) async throws {
    let world = try await AccountsWorld()
    let folder = try PictureFolder()
    let picture = PictureSamples.jpeg()
    let path = try folder.write(picture, to: "picture")
    let cid = CID(rawSHA256: isHonest ? picture : [1])
    world.http.answer(
      "pds.alice.test/xrpc/com.atproto.repo.uploadBlob",
      .json(
        #"{"blob":{"$type":"blob","ref":{"$link":"\#(cid)"},"mimeType":"image/jpeg","#
          + #""size":\#(picture.count)}}"#))
    let client = try await world.restored(AccountsWorld.grant()).client(AccountsWorld.alice)
    do throws(CallFault) {
      let blob = try await client.uploadBlob(path, "image/jpeg") { _ in }
      #expect(isHonest && blob.cid == cid)
    } catch {
      #expect(!isHonest)
      #expect(error == .remote(.badResponse(host: "pds.alice.test", detail: "blob")))
    }
  }
}
