import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import PhotoFile
import Sandbox
import Testing

@Suite("Copies that may leave the machine")
struct PhotoWorkshopTests {
  private let world: DraftWorld

  init() async throws { world = try await DraftWorld() }

  /// A draft with one photograph of these bytes.
  private func draft(_ bytes: [UInt8]) async throws -> Draft {
    let source = try world.pictures.write(bytes, to: "source.jpg")
    let draft = try await world.drafts.create(repo: DraftWorld.alice)
    return try await world.change(draft.id) {
      $0.photos["p"] = DraftPhoto(id: "p", source: source)
      $0.photoOrder = ["p"]
    }
  }

  private func failure(
    _ draft: Draft, _ workshop: PhotoWorkshop? = nil
  ) async -> PhotoWorkshop.Failure? {
    do throws(PhotoWorkshop.Failure) {
      _ = try await (workshop ?? world.workshop).prepare("p", of: draft.id)
      return nil
    } catch {
      return error
    }
  }

  @Test("a copy is measured, silent and upright, with the camera's notes kept aside (FB-D7, FB-D8)")
  func prepared() async throws {
    let balloons = try #require(SamplePhotos.all.first { $0.fileName == "balloons.jpg" })
    let draft = try await draft(balloons.bytes)
    let saved = try #require(try await world.workshop.prepare("p", of: draft.id))
    let prepared = try #require(saved.photos["p"]?.prepared)
    #expect((prepared.width, prepared.height) == (600, 800))
    #expect(prepared.mediaType == "image/jpeg")
    #expect(prepared.exif?.make == "Lumen" && prepared.exif?.model == "Pocket 3")
    #expect(prepared.exif?.dateTimeOriginal?.rawValue == "2025-06-21T03:31:02.000Z")
    #expect(try await world.stored(draft.id) == saved)

    let path = world.drafts.preparedPath(draft.id, file: prepared.file)
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    #expect(bytes.count == prepared.bytes)
    let copy = try PictureReader.read(bytes)
    #expect(copy.exif == nil && !copy.hasGPS)
  }

  @Test(
    "what cannot be published is noted with its reason (FB-D6, FB-D9)",
    arguments: [
      (Array("hello".utf8), PhotoFailure.notAPicture(found: "text")),
      ([], .notAPicture(found: "an empty file")),
      (Array("GIF89a".utf8) + [4, 0, 3, 0, 0, 0, 0], .conversionWithoutTool(kind: "gif")),
      (
        PictureSamples.jpeg(strippedBytes: 900_001),
        .tooLarge(bytes: 900_001, width: 400, height: 300)
      ),
      (Array(PictureSamples.jpeg().prefix(60)), .damaged),
    ])
  func refused(bytes: [UInt8], reason: PhotoFailure) async throws {
    let draft = try await draft(bytes)
    #expect(await failure(draft) == .photo(reason))
    #expect(try await world.stored(draft.id).photos["p"]?.failure == reason)
    #expect(try await world.stored(draft.id).photos["p"]?.prepared == nil)
  }

  @Test("a file that has gone is unreadable; once it is back the old failure is forgotten")
  func unreadable() async throws {
    let draft = try await draft(PictureSamples.jpeg())
    let source = try #require(draft.photos["p"]?.source)
    try FileManager.default.moveItem(atPath: source, toPath: source + "2")
    #expect(await failure(draft) == .photo(.unreadable))
    try FileManager.default.moveItem(atPath: source + "2", toPath: source)
    #expect(await failure(draft) == nil)
    #expect(try await world.stored(draft.id).photos["p"]?.failure == nil)
  }

  @Test("a tool that fails is named with what it said")
  func toolFails() async throws {
    let resizer = ImageResizer(name: "convert") { _ throws(ImageResizer.Failure) in
      throw .failed("no decode delegate")
    }
    let workshop = PhotoWorkshop(
      drafts: world.drafts, preparer: ImagePreparer(resizers: [resizer]))
    let draft = try await draft(PictureSamples.jpeg(width: 3000))
    #expect(
      await failure(draft, workshop)
        == .photo(.toolFailed(tool: "convert", detail: "no decode delegate")))
  }

  @Test("a full disk is the store's fault, and a stop leaves the photograph as it was")
  func otherEndings() async throws {
    for (failure, expected) in [
      (ImageResizer.Failure.storageFull, PhotoWorkshop.Failure.store(.full)),
      (.cancelled, .cancelled),
    ] {
      let resizer = ImageResizer(name: "tool") { _ throws(ImageResizer.Failure) in throw failure }
      let workshop = PhotoWorkshop(
        drafts: world.drafts, preparer: ImagePreparer(resizers: [resizer]))
      let draft = try await draft(PictureSamples.jpeg(width: 3000))
      #expect(await self.failure(draft, workshop) == expected)
      #expect(try await world.stored(draft.id).photos["p"]?.failure == nil)
    }
  }

  @Test("a photograph or a draft that is gone is not prepared")
  func gone() async throws {
    let draft = try await draft(PictureSamples.jpeg())
    #expect(try await world.workshop.prepare("other", of: draft.id) == nil)
    #expect(try await world.workshop.prepare("p", of: "other") == nil)
  }
}
