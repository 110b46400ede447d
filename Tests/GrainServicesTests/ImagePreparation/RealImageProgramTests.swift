import Foundation
import GrainTestSupport
import PhotoFile
import SystemClients
import Testing

@testable import GrainServices

/// The programs themselves, where they are installed.
@Suite("Real image programs")
struct RealImageProgramTests {
  private static let convert = ProgramRunner.live.find("convert")
  private static let programs = ImageProgram.all.map(\.name)
    .filter { ProgramRunner.live.find($0) != nil }
  private static let areThere = convert != nil && !programs.isEmpty
  private static let skipReason = "no image program (vipsthumbnail, ImageMagick) is installed"

  private let folder: PictureFolder

  init() throws { folder = try PictureFolder() }

  /// Runs ImageMagick in the test's folder and returns what it prints.
  @discardableResult
  private func run(_ arguments: [String]) async throws -> [UInt8] {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: try #require(Self.convert), arguments: arguments,
        environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "OMP_NUM_THREADS": "1"],
        workingFolder: folder.path, timeLimit: .seconds(300)))
    #expect(result.status == 0, "\(String(decoding: result.errorOutput, as: UTF8.self))")
    return result.output
  }

  /// Makes a picture with ImageMagick.
  private func make(_ name: String, _ arguments: [String]) async throws -> String {
    try await run(arguments + [name])
    return folder.path(name)
  }

  /// Prepares a picture with one program alone.
  private func prepare(
    _ source: String, _ program: String, limits: ImageLimits = ImageLimits()
  ) async throws -> PreparedImage {
    let resizers = ImageResizer.programs(.live).filter { $0.name == program }
    return try await ImagePreparer(limits: limits, resizers: resizers)
      .prepare(source: source, output: folder.path("copy"))
  }

  /// The colour at a place of the copy, shown upright, as `[red, green, blue]`.
  private func colour(_ place: String) async throws -> [Int] {
    let pixel = try await run(
      ["jpeg:copy", "-auto-orient", "-depth", "8", "-gravity", place]
        + ["-crop", "1x1+5+5", "rgb:-"])
    return pixel.prefix(3).map(Int.init)
  }

  @Test(
    "a noisy picture fills the limit as far as it can and fits into 2000 by 2000 (FB-D6)",
    .enabled(if: areThere, "\(skipReason)"), arguments: programs)
  func large(program: String) async throws {
    let plain = try await make(
      "noise.jpg",
      ["-size", "2200x1700", "-seed", "3", "gradient:tan-teal", "-attenuate", "0.3"]
        + ["+noise", "Gaussian", "-quality", "95"])
    let source = folder.path("noise [1] 50%d.jpg")
    try FileManager.default.moveItem(atPath: plain, toPath: source)
    let image = try await prepare(source, program)
    #expect((image.width, image.mediaType) == (2000, "image/jpeg"))
    #expect((1544...1546).contains(image.height))
    #expect((700_000...900_000).contains(image.bytes))
    #expect(try folder.names == ["copy", "noise [1] 50%d.jpg"])
    let info = try PictureReader.read(folder.bytes("copy"))
    #expect((info.uprightWidth, info.uprightHeight) == (image.width, image.height))
  }

  @Test(
    "whatever the orientation, the smaller copy shows upright: turned or tagged, never both (FB-D7)",
    .enabled(if: areThere, "\(skipReason)"), arguments: programs)
  func orientation(program: String) async throws {
    // Upright: red at the top left, blue at the bottom right.
    let turns = [
      1: [], 3: ["-rotate", "180"], 6: ["-rotate", "270"], 8: ["-rotate", "90"], 2: ["-flop"],
      5: ["-transpose"],
    ]
    for (orientation, turn) in turns {
      let source = try await make(
        "o\(orientation).jpg",
        ["-size", "300x200", "xc:white", "-fill", "red", "-draw", "rectangle 0,0 99,99"]
          + ["-fill", "blue", "-draw", "rectangle 200,100 299,199"] + turn + ["-quality", "95"])
      // ImageMagick writes no orientation of its own; ours is put where a camera puts it.
      var bytes = Array(try Data(contentsOf: URL(filePath: source)))
      let tag: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0]
      let exif = Array("Exif\0\0".utf8) + tag + [UInt8(orientation), 0, 0, 0, 0, 0, 0]
      bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
      try folder.write(bytes, to: "o\(orientation).jpg")
      #expect(try PictureReader.read(bytes).orientation == orientation)

      let image = try await prepare(source, program, limits: ImageLimits(width: 150, height: 150))
      #expect((image.width, image.height) == (150, 100), "\(orientation)")
      let (topLeft, bottomRight) = (try await colour("NorthWest"), try await colour("SouthEast"))
      #expect(topLeft[0] > 200 && topLeft[2] < 60, "\(orientation): \(topLeft)")
      #expect(bottomRight[2] > 200 && bottomRight[0] < 60, "\(orientation): \(bottomRight)")
    }
  }

  @Test(
    "HEIF, AVIF, TIFF, GIF, four colours and transparency become plain JPEGs",
    .enabled(if: areThere, "\(skipReason)"), arguments: programs)
  func conversions(program: String) async throws {
    let red = ["-size", "60x40", "xc:red"]
    for (name, options) in [
      ("a.heic", []), ("a.avif", []), ("a.tiff", []), ("a.gif", []), ("a.bmp", []),
      ("four.jpg", ["-colorspace", "CMYK"]),
    ] {
      // ImageMagick may be built without a coder; then there is nothing to convert.
      guard let source = try? await make(name, red + options),
        FileManager.default.fileExists(atPath: source)
      else { continue }
      let limits = ImageLimits(width: 30, height: 30)
      // ImageMagick reads bitmaps, libvips need not.
      if name == "a.bmp", program == "vipsthumbnail" { continue }
      let image = try await prepare(source, program, limits: limits)
      #expect(image.mediaType == "image/jpeg" && image.width == 30 && image.height == 20)
      let colour = try await colour("Center")
      #expect(colour[0] > 180 && colour[1] < 80 && colour[2] < 80, "\(name): \(colour)")
      #expect(try !PictureReader.read(folder.bytes("copy")).isCMYK)
    }
    let clear = try await make("clear.png", ["-size", "60x40", "xc:none"])
    _ = try await prepare(clear, program, limits: ImageLimits(width: 30, height: 30))
    #expect(try await colour("Center").allSatisfy { $0 > 250 })
  }

  @Test(
    "where no quality fits, the picture shrinks until one does",
    .enabled(if: areThere, "\(skipReason)"), arguments: programs)
  func shrinks(program: String) async throws {
    let source = try await make(
      "noise.jpg", ["-size", "400x300", "-seed", "3", "gradient:tan-teal", "+noise", "Gaussian"])
    let image = try await prepare(source, program, limits: ImageLimits(bytes: 800))
    #expect(image.bytes <= 800)
    #expect(image.width < 400)
    #expect(abs(image.width * 3 - image.height * 4) <= 12)  // still four to three
  }

  @Test(
    "a picture that is too large in bytes only keeps its size in pixels",
    .enabled(if: areThere, "\(skipReason)"), arguments: programs)
  func neverEnlarged(program: String) async throws {
    let source = try await make(
      "noise.png", ["-size", "700x500", "-seed", "3", "gradient:tan-teal", "+noise", "Gaussian"])
    let image = try await prepare(source, program, limits: ImageLimits(bytes: 90_000))
    #expect((image.width, image.height) == (700, 500))
    #expect((60_000...90_000).contains(image.bytes))
  }

  @Test(
    "telephones' large pictures come out small, upright and silent (FB-D6 to FB-D8)",
    .enabled(if: areThere && SharedData.isPresent, "\(skipReason), or \(SharedData.skipReason)"),
    arguments: programs)
  func telephones(program: String) async throws {
    for (name, width, height) in [
      ("large/HMD_Nokia_8.3_5G.jpg", 2000, 857), ("large/canon_hdr_YES.jpg", 1500, 2000),
      ("other/samplefilehub.heif", 640, 426),
    ] {
      let image = try await prepare(SharedData.url("photos/\(name)").path, program)
      #expect(abs(image.width - width) <= 1 && abs(image.height - height) <= 1, "\(name)")
      #expect(image.bytes <= 900_000)
      let info = try PictureReader.read(folder.bytes("copy"))
      #expect(info.exif == nil && !info.hasGPS)
    }
  }

  @Test(
    "colours stay what they are, with and without a profile",
    .enabled(if: areThere && SharedData.isPresent, "\(skipReason), or \(SharedData.skipReason)"),
    arguments: programs)
  func colours(program: String) async throws {
    // No profile; sRGB; Apple's old "Generic RGB" with its gamma of 1.8.
    let names = ["gps/DSCN0010.jpg", "other/BlueSquare.jpg", "orientation/landscape_6.jpg"]
    let sRGB = SharedData.url("photos/other/BlueSquare.jpg").path
    try await run(["jpeg:\(sRGB)", "srgb.icc"])
    for name in names {
      let source = SharedData.url("photos/\(name)").path
      _ = try await prepare(source, program, limits: ImageLimits(width: 300, height: 300))
      let toOnePixel = ["-profile", "srgb.icc", "-resize", "1x1!", "-depth", "8", "rgb:-"]
      let before = try await run(["jpeg:\(source)"] + toOnePixel)
      let after = try await run(["jpeg:copy"] + toOnePixel)
      #expect(before.count == 3 && after.count == 3)
      for (before, after) in zip(before, after) {
        #expect(abs(Int(before) - Int(after)) <= 3, "\(name)")
      }
    }
  }
}
