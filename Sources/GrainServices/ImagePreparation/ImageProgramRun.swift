import Foundation
import PhotoFile
import SystemClients

/// One picture made to fit by one program: a working copy, then encodings until one is right.
struct ImageProgramRun {
  let program: ImageProgram
  /// Where the program is.
  let path: String
  let runner: ProgramRunner
  let request: ImageResizer.Request

  private static let timeLimit = Duration.seconds(60)

  func run() async throws(ImageResizer.Failure) {
    try linkSource()
    let limits = request.limits
    let box = ImageProgram.Box(width: limits.width, height: limits.height)
    try await start(program.shrink(request.info, box))

    var search = JPEGFitSearch(limit: limits.bytes, size: fitted(into: box))
    var attempt = search.first
    while true {
      let name = Self.name(of: attempt)
      try await start(program.encode(attempt.quality, attempt.size ?? box, name))
      switch search.encoded(bytes: try size(of: name)) {
      case .encode(let next): attempt = next
      case .use(let best): return try move(Self.name(of: best))
      case .giveUp: throw .failed("no quality is small enough")
      }
    }
  }

  private static func name(of attempt: JPEGFitSearch.Attempt) -> String {
    "\(attempt.quality)-\(attempt.size?.width ?? 0).jpg"
  }

  /// A link under a plain name: neither the file's name nor its ending may mislead the program.
  private func linkSource() throws(ImageResizer.Failure) {
    do {
      try FileManager.default.createSymbolicLink(
        atPath: "\(request.folder)/\(ImageProgram.source)", withDestinationPath: request.source)
    } catch {
      throw .failed("the working folder cannot be used")
    }
  }

  private func start(_ arguments: [String]) async throws(ImageResizer.Failure) {
    let invocation = ProgramInvocation(
      executable: path, arguments: arguments,
      // Messages in English, scratch files beside the work and not in a shared folder, and no
      // threads that burn a core while they wait for another.
      environment: [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": request.folder,
        "TMPDIR": request.folder, "OMP_WAIT_POLICY": "PASSIVE",
      ],
      workingFolder: request.folder, timeLimit: Self.timeLimit)
    let result: ProgramResult
    do throws(ProgramError) {
      result = try await runner.run(invocation)
    } catch {
      switch error {
      case .notFound: throw .missing
      case .cancelled: throw .cancelled
      case .timedOut: throw .failed("it took longer than \(Self.timeLimit.components.seconds) s")
      case .failedToStart, .outputTooLarge: throw .failed("\(error)")
      }
    }
    guard result.status != 0 else { return }
    let words = String(decoding: result.errorOutput.prefix(4096), as: UTF8.self)
    if words.contains("No space left on device") { throw .storageFull }
    let line = words.split(separator: "\n").last.map { String($0.prefix(200)) }
    throw .failed(line ?? "it ended with status \(result.status)")
  }

  private func size(of name: String) throws(ImageResizer.Failure) -> Int {
    do {
      let facts = try FileManager.default.attributesOfItem(atPath: "\(request.folder)/\(name)")
      guard let size = facts[.size] as? NSNumber else { throw CocoaError(.fileReadUnknown) }
      return size.intValue
    } catch {
      throw .failed("it left no picture behind")
    }
  }

  private func move(_ name: String) throws(ImageResizer.Failure) {
    do {
      try FileManager.default.moveItem(
        atPath: "\(request.folder)/\(name)", toPath: request.output)
    } catch {
      throw .failed("the result cannot be moved")
    }
  }

  /// About the size the working copy has, as a start for shrinking further.
  private func fitted(into box: ImageProgram.Box) -> ImageProgram.Box {
    let width = Double(request.info.uprightWidth)
    let height = Double(request.info.uprightHeight)
    let scale = min(1, Double(box.width) / width, Double(box.height) / height)
    return ImageProgram.Box(
      width: max(1, Int((width * scale).rounded())),
      height: max(1, Int((height * scale).rounded())))
  }
}
