import Foundation
import PhotoFile
import SystemClients
import Testing

@testable import GrainServices

@Suite("Asking an image program")
struct ImageProgramTests {
  private let folder: PictureFolder
  private let runs = Runs()

  init() throws { folder = try PictureFolder() }

  private final class Runs: Sendable {
    private let noted = Locked<[ProgramInvocation]>([])
    var all: [ProgramInvocation] { noted.withLock { $0 } }
    func note(_ run: ProgramInvocation) { noted.withLock { $0.append(run) } }
  }

  private typealias Answer = @Sendable (ProgramInvocation) throws(ProgramError) -> ProgramResult

  /// Runs one resizer over a picture of 4000 × 3000 on a machine with that program alone.
  private func resize(
    _ program: String, kind: PictureKind = .jpeg, isCMYK: Bool = false, _ answer: @escaping Answer
  ) async throws -> [UInt8] {
    let source = try folder.write(PictureSamples.jpeg(), to: "a [1] 100%d: photo")
    let work = folder.path("work")
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    let runs = runs
    let runner = ProgramRunner { invocation async throws(ProgramError) in
      runs.note(invocation)
      return try answer(invocation)
    } find: { name in
      name == program ? "/usr/bin/\(name)" : nil
    }
    let request = ImageResizer.Request(
      source: source,
      info: PictureInfo(kind: kind, width: 4000, height: 3000, isCMYK: isCMYK),
      limits: ImageLimits(), folder: work, output: "\(work)/prepared.jpg")
    let resizer = try #require(ImageResizer.programs(runner).first { $0.name == program })
    try await resizer.resize(request)
    return try folder.bytes("work/prepared.jpg")
  }

  /// Plays a program whose JPEG has ten thousand bytes for each step of quality.
  private static let encoder: Answer = { run in
    let words = run.arguments.joined(separator: " ")
    guard words.contains(".jpg") else { return ProgramResult(status: 0) }
    let quality = words.firstMatch(of: /(?:Q=|quality )(\d+)/).flatMap { Int($0.1) } ?? 0
    let name = words.firstMatch(of: /\d+-\d+\.jpg/).map { String($0.0) } ?? ""
    let path = "\(run.workingFolder ?? "")/\(name)"
    _ = FileManager.default.createFile(
      atPath: path, contents: Data(repeating: 1, count: quality * 10_000))
    return ProgramResult(status: 0)
  }

  @Test(
    "one run decodes and shrinks, a handful encode, and the best within the limit is kept",
    arguments: ["vipsthumbnail", "magick", "convert"])
  func search(program: String) async throws {
    let result = try await resize(program, Self.encoder)
    #expect(result.count == 900_000)
    let all = runs.all
    #expect(all.count <= 11)
    #expect(
      all.filter { $0.arguments.contains { $0.hasPrefix("source") || $0.hasSuffix("source[0]") } }
        .count == 1)
  }

  @Test("a program sees only names we chose, whatever the picture is called")
  func names() async throws {
    _ = try await resize("convert", Self.encoder)
    let work = folder.path("work")
    for run in runs.all {
      #expect(run.workingFolder == work)
      #expect(run.timeLimit == .seconds(60))
      #expect(!run.arguments.contains { $0.contains("/") || $0.contains("photo") })
    }
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: "\(work)/source")
    #expect(link == folder.path("a [1] 100%d: photo"))
  }

  @Test("ImageMagick is told the true kind, turns what is not turned, and knows printer's colours")
  func imageMagick() async throws {
    _ = try await resize("convert", kind: .heif, Self.encoder)
    let heif = try #require(runs.all.first).arguments
    #expect(heif.first == "heic:source[0]")
    #expect(!heif.contains("-auto-orient"))
    let cmyk = ImageProgram.imageMagick("magick").shrink(
      PictureInfo(kind: .jpeg, width: 1, height: 1, isCMYK: true), .init(width: 10, height: 20))
    #expect(cmyk.first == "jpeg:source[0]")
    #expect(cmyk.contains("-auto-orient") && cmyk.contains("sRGB") && cmyk.contains("10x20>"))
  }

  @Test("a program that is not there is missing, not broken")
  func missing() async throws {
    let none = ProgramRunner { _ async throws(ProgramError) in
      throw .notFound("")
    } find: { _ in
      nil
    }
    #expect(ImageResizer.installedProgram(none) == nil)
    await #expect(throws: ImageResizer.Failure.missing) {
      try await resize("vipsthumbnail") { _ throws(ProgramError) in throw .notFound("gone") }
    }
  }

  @Test("what a program complains about is passed on, shortened; a full disk is told apart")
  func complaints() async throws {
    let answers: [(Answer, ImageResizer.Failure)] = [
      (
        { _ in ProgramResult(status: 1, errorOutput: Array("one\nbad marker\n".utf8)) },
        .failed("bad marker")
      ),
      ({ _ in ProgramResult(status: 3) }, .failed("it ended with status 3")),
      (
        { _ in ProgramResult(status: 1, errorOutput: Array("x: No space left on device".utf8)) },
        .storageFull
      ),
      ({ _ throws(ProgramError) in throw .timedOut }, .failed("it took longer than 60 s")),
      ({ _ throws(ProgramError) in throw .cancelled }, .cancelled),
      ({ _ in ProgramResult(status: 0) }, .failed("it left no picture behind")),
    ]
    for (answer, failure) in answers {
      await #expect(throws: failure) { try await resize("magick", answer) }
      try FileManager.default.removeItem(atPath: folder.path("work"))
    }
  }

  @Test("vipsthumbnail is preferred, then ImageMagick 7, then 6")
  func preference() {
    let all = ProgramRunner { _ async throws(ProgramError) in
      throw .timedOut
    } find: {
      "/bin/\($0)"
    }
    #expect(
      ImageResizer.programs(all).map(\.name) == ["vipsthumbnail", "magick", "convert"])
    #expect(ImageResizer.installedProgram(all) == "/bin/vipsthumbnail")
  }
}
