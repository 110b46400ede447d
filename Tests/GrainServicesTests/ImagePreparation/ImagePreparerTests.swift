import Foundation
import PhotoFile
import SystemClients
import Testing

@testable import GrainServices

@Suite("Preparing a picture for publishing")
struct ImagePreparerTests {
  private let folder: PictureFolder

  init() throws { folder = try PictureFolder() }

  /// Notes which resizers were asked, and lets each do as told.
  private final class Resizers: Sendable {
    let asked = Locked<[String]>([])

    func make(
      _ name: String, _ act: @escaping @Sendable (ImageResizer.Request) throws -> Void
    ) -> ImageResizer {
      ImageResizer(name: name) { request async throws(ImageResizer.Failure) in
        self.asked.withLock { $0.append(name) }
        do {
          try act(request)
        } catch let failure as ImageResizer.Failure {
          throw failure
        } catch {
          throw .failed("\(error)")
        }
      }
    }

    /// Writes these bytes as its result.
    func writing(_ name: String, _ bytes: [UInt8]) -> ImageResizer {
      make(name) { try Data(bytes).write(to: URL(filePath: $0.output)) }
    }
  }

  private func prepare(
    _ bytes: [UInt8], _ resizers: [ImageResizer] = [], limits: ImageLimits = ImageLimits()
  ) async throws(ImagePreparationError) -> PreparedImage {
    let source: String
    do {
      source = try folder.write(bytes, to: "source.jpg")
    } catch {
      throw .unreadable("the test's own folder")
    }
    return try await ImagePreparer(limits: limits, resizers: resizers)
      .prepare(source: source, output: folder.path("copy"))
  }

  @Test("a picture that fits loses its metadata and nothing else; no tool is asked (FB-D6, FB-D8)")
  func fits() async throws {
    let resizers = Resizers()
    let bytes = PictureSamples.jpeg(orientation: 6)
    let image = try await prepare(bytes, [resizers.writing("tool", [])])
    let expected = PreparedImage(
      mediaType: "image/jpeg", width: 300, height: 400, bytes: 1000,
      exif: PictureEXIF(make: "Cam"))
    #expect(image == expected)
    #expect(try folder.bytes("copy") == PictureStripper.strip(bytes))
    #expect(resizers.asked.withLock { $0 } == [])
    #expect(try folder.names == ["copy", "source.jpg"])
  }

  @Test(
    "899,999 and 900,000 bytes are uploaded as they are, 900,001 are made smaller (FB-D6)",
    arguments: [(899_999, false), (900_000, false), (900_001, true)])
  func byteLimit(bytes: Int, isReduced: Bool) async throws {
    let resizers = Resizers()
    let small = resizers.writing("tool", PictureSamples.jpeg(width: 40, height: 30))
    let image = try await prepare(PictureSamples.jpeg(strippedBytes: bytes), [small])
    #expect(image.bytes == (isReduced ? 1000 : bytes))
    #expect(resizers.asked.withLock { $0.count } == (isReduced ? 1 : 0))
  }

  @Test("the limit in pixels counts the upright picture (FB-D7)")
  func pixelLimit() async throws {
    let limits = ImageLimits(width: 400, height: 300)
    let lying = PictureSamples.jpeg(width: 300, height: 400, orientation: 6)
    #expect(try await prepare(lying, limits: limits).width == 400)
    let tall = PictureSamples.jpeg(orientation: 6)
    await #expect(
      throws: ImagePreparationError.tooLargeWithoutTool(bytes: tall.count, width: 300, height: 400)
    ) {
      try await prepare(tall, limits: limits)
    }
  }

  @Test("without a tool a picture over the limit is refused with its size")
  func noTool() async throws {
    let error = ImagePreparationError.tooLargeWithoutTool(bytes: 900_001, width: 400, height: 300)
    let missing = Resizers().make("gone") { _ in throw ImageResizer.Failure.missing }
    await #expect(throws: error) {
      try await prepare(PictureSamples.jpeg(strippedBytes: 900_001), [missing])
    }
    let gif = Array("GIF89a".utf8) + [4, 0, 3, 0, 0, 0, 0]
    await #expect(throws: ImagePreparationError.conversionWithoutTool(.gif)) {
      try await prepare(gif)
    }
  }

  @Test("resizers are asked in order: a missing one is passed over, a failing one too")
  func order() async throws {
    let resizers = Resizers()
    let image = try await prepare(
      PictureSamples.jpeg(width: 3000),
      [
        resizers.make("shell") { _ in throw ImageResizer.Failure.missing },
        resizers.make("first") { _ in throw ImageResizer.Failure.failed("no") },
        resizers.writing("second", PictureSamples.jpeg(width: 2000)),
        resizers.writing("third", []),
      ])
    #expect((image.width, image.height) == (2000, 300))
    #expect(image.exif == PictureEXIF(make: "Cam"))
    #expect(resizers.asked.withLock { $0 } == ["shell", "first", "second"])
    #expect(try folder.names == ["copy", "source.jpg"])
  }

  @Test("each resizer finds an empty private folder and the absolute path of the source")
  func request() async throws {
    let resizers = Resizers()
    let seen = Locked<[ImageResizer.Request]>([])
    let messy = resizers.make("messy") { request in
      seen.withLock { $0.append(request) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: request.folder) == [])
      try Data().write(to: URL(filePath: "\(request.folder)/rubbish"))
      throw ImageResizer.Failure.failed("no")
    }
    await #expect(throws: ImagePreparationError.toolFailed(tool: "messy", detail: "no")) {
      try await prepare(PictureSamples.jpeg(width: 3000), [messy, messy])
    }
    let request = try #require(seen.withLock { $0.first })
    #expect(request.source == folder.path("source.jpg"))
    #expect(request.info.width == 3000)
    #expect(seen.withLock { $0.count } == 2)
    #expect(try folder.names == ["source.jpg"])
  }

  @Test("a resizer's picture is stripped, and measured before it is believed")
  func result() async throws {
    let resizers = Resizers()
    _ = try await prepare(
      PictureSamples.jpeg(width: 3000), [resizers.writing("tool", PictureSamples.jpeg())])
    #expect(try folder.bytes("copy").count == 1000)
    for wrong in [
      PictureSamples.jpeg(width: 2001), PictureSamples.jpeg(strippedBytes: 900_001),
      Array("no picture".utf8), [],
    ] {
      await #expect(throws: ImagePreparationError.self) {
        try await prepare(PictureSamples.jpeg(width: 3000), [resizers.writing("tool", wrong)])
      }
    }
  }

  @Test("a failure leaves an earlier copy as it was")
  func keepsEarlier() async throws {
    try folder.write([1, 2, 3], to: "copy")
    for failure in [ImageResizer.Failure.cancelled, .storageFull, .failed("no")] {
      let resizer = Resizers().make("tool") { _ in throw failure }
      await #expect(throws: ImagePreparationError.self) {
        try await prepare(PictureSamples.jpeg(width: 3000), [resizer])
      }
    }
    #expect(try folder.bytes("copy") == [1, 2, 3])
  }

  @Test("cancelling and a full disk end it at once; no other tool is tried")
  func ends() async throws {
    for (failure, error) in [
      (ImageResizer.Failure.cancelled, ImagePreparationError.cancelled),
      (.storageFull, .storageFull),
    ] {
      let resizers = Resizers()
      let tool = resizers.make("tool") { _ in throw failure }
      await #expect(throws: error) {
        try await prepare(PictureSamples.jpeg(width: 3000), [tool, tool])
      }
      #expect(resizers.asked.withLock { $0.count } == 1)
    }
  }

  @Test("what is no picture, damaged, a film or missing is refused for what it is (FB-D9)")
  func refused() async throws {
    let film = [0, 0, 0, 20] + Array("ftypmp42\0\0\0\0isom".utf8)
    await #expect(throws: ImagePreparationError.unsupported(.video)) { try await prepare(film) }
    await #expect(throws: ImagePreparationError.notAPicture(found: "text")) {
      try await prepare(Array("a diary".utf8))
    }
    await #expect(throws: ImagePreparationError.notAPicture(found: "an empty file")) {
      try await prepare([])
    }
    await #expect(throws: ImagePreparationError.damaged("the JPEG has no frame with a size")) {
      try await prepare([0xFF, 0xD8, 0xFF, 0xD9])
    }
    await #expect(throws: ImagePreparationError.sourceTooLarge(limit: 500)) {
      try await prepare(PictureSamples.jpeg(), limits: ImageLimits(sourceBytes: 500))
    }
    let preparer = ImagePreparer(resizers: [])
    let missing = folder.path("missing.jpg")
    await #expect(throws: ImagePreparationError.unreadable(missing)) {
      try await preparer.prepare(source: missing, output: folder.path("copy"))
    }
    await #expect(throws: ImagePreparationError.unreadable(folder.path)) {
      try await preparer.prepare(source: folder.path, output: folder.path("copy"))
    }
    let source = try folder.write(PictureSamples.jpeg(), to: "source.jpg")
    await #expect(throws: ImagePreparationError.self) {
      try await preparer.prepare(source: source, output: folder.path("no/such/folder"))
    }
  }
}
