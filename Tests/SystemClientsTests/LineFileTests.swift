import Foundation
import GrainTestSupport
import SystemClients
import Testing

@Suite("Lines written beside the work", .timeLimit(.minutes(2)))
struct LineFileTests {
  private let folder: TemporaryFolder
  private let notices = Recorder<LineFile.Notice>()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func file(_ path: String, backlog: Int = 8 << 20) throws(FileError) -> LineFile {
    try LineFile(
      path, backlogLimit: backlog, gap: { Array("missing \($0)".utf8) },
      notice: { [notices] in notices.record($0) })
  }

  /// Reads a descriptor to its end, on a thread that may wait.
  private static func lines(_ descriptor: Int32) async -> [String] {
    let read = await onThread {
      FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile()
    }
    return String(decoding: read, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("a file holds every line in order, for its owner alone")
  func plain() async throws {
    let file = try file(folder.path("lines"))
    for number in 0..<1_000 { file.add(Array("line \(number)".utf8)) }
    #expect(await onThread { file.close(within: .seconds(20)) })
    let text = try String(contentsOfFile: folder.path("lines"), encoding: .utf8)
    #expect(text == (0..<1_000).map { "line \($0)\n" }.joined())
    let facts = try FileManager.default.attributesOfItem(atPath: folder.path("lines"))
    #expect(facts[.posixPermissions] as? Int == 0o600)
    #expect(notices.values.isEmpty)
    // What comes after the end is nobody's.
    file.add(Array("late".utf8))
    #expect(file.close(within: .zero))
  }

  @Test("a place that cannot be written is refused at once")
  func unwritable() {
    #expect(throws: FileError.notFound("/nonexistent/lines")) { try file("/nonexistent/lines") }
  }

  @Test("a pipe nobody empties costs lines and no time, and says how many are missing")
  func slowReader() async throws {
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    #expect(reader >= 0)
    let file = try file(path, backlog: 100_000)
    let line = String(repeating: "x", count: 999)
    // 64 KiB in the pipe and 100 kB in the backlog; the rest has no place.
    for _ in 0..<1_000 { file.add(Array(line.utf8)) }
    // On a busy machine the writer may begin late, and be behind a gap before the pipe is full.
    await notices.wait { !$0.isEmpty }
    #expect(notices.values.first == .gapBegan(errno: nil))
    #expect(!file.close(within: .milliseconds(50)))
    #expect(fcntl(reader, F_SETFL, 0) == 0)
    let lines = await Self.lines(reader)
    let whole = lines.count { $0 == line }
    #expect((50..<400).contains(whole))
    let missing = lines.filter { $0.hasPrefix("missing ") }.compactMap { Int($0.dropFirst(8)) }
    #expect(lines.count == whole + missing.count)
    #expect(missing.reduce(0, +) == 1_000 - whole)
    let told = notices.values.compactMap {
      if case .gapEnded(let lines) = $0 { lines } else { nil }
    }
    #expect(told == missing)
  }

  @Test("once the reader is back, what comes next is written behind the gap")
  func readerComesBack() async throws {
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let file = try file(path, backlog: 50_000)
    for _ in 0..<500 { file.add([UInt8](repeating: 0x78, count: 999)) }
    await notices.wait { !$0.isEmpty }
    #expect(fcntl(reader, F_SETFL, 0) == 0)
    let reading = Task { await Self.lines(reader) }
    // Without a marker there would be no telling when there is room again.
    var count = 0
    while notices.values.count < 2 {
      file.add(Array("more".utf8))
      count += 1
      await Task.yield()
    }
    file.add(Array("last".utf8))
    #expect(await onThread { file.close(within: .seconds(20)) })
    let lines = await reading.value
    #expect(lines.last == "last")
    let missing = lines.filter { $0.hasPrefix("missing ") }.compactMap { Int($0.dropFirst(8)) }
    #expect(lines.count - missing.count + missing.reduce(0, +) == 500 + count + 1)
  }

  @Test("a FIFO is opened when somebody reads it; until then the lines wait")
  func lateReader() async throws {
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let file = try file(path)
    file.add(Array("early".utf8))
    let reading = Task {
      await Self.lines(await onThread { open(path, O_RDONLY | O_CLOEXEC) })
    }
    #expect(await onThread { file.close(within: .seconds(20)) })
    #expect(await reading.value == ["early"])
  }

  @Test("a full disk costs lines, and the reason is told once")
  func full() async throws {
    let file = try file("/dev/full")
    for _ in 0..<10 { file.add(Array("line".utf8)) }
    #expect(await onThread { file.close(within: .seconds(20)) })
    #expect(notices.values == [.gapBegan(errno: ENOSPC)])
  }
}
