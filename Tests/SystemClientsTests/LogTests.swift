import Foundation
import GrainTestSupport
import SystemClients
import Testing

@Suite("Log lines (bridge protocol §11)")
struct LogTests {
  private let recorder = Recorder<String>()
  private let time = Date(timeIntervalSince1970: 1_772_366_400.123)

  private func log(_ level: LogLevel = .info) -> Log {
    Log(
      clock: TestClock(at: time).clock,
      sink: LogSink { [recorder] in recorder.record(String(decoding: $0, as: UTF8.self)) },
      thresholds: LogThresholds(level))
  }

  @Test("a line is one JSON object with time, level, target, message, identifiers and fields")
  func wholeLine() {
    log().tagged(operation: "op-1", request: "7")
      .write(.info, "login", "identity resolved", ["method": "wellKnown", "attempt": "2"])
    #expect(
      recorder.values == [
        #"{"ts":"2026-03-01T12:00:00.123Z","level":"info","target":"login","#
          + #""msg":"identity resolved","op":"op-1","req":"7","#
          + #""fields":{"attempt":"2","method":"wellKnown"}}"#
      ])
  }

  @Test("quotes, line feeds, controls and separators cannot break the line")
  func escaping() throws {
    let value = "a\"b\\c\nd\u{1B}[31m\u{85}\u{2028}é🙂"
    log().write(.warn, "x", "y", [value: value])
    let line = try #require(recorder.values.first)
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) })
    #expect(!line.contains("\u{2028}"))
    let fields = try JSONDecoder().decode(Decoded.self, from: Data(line.utf8)).fields
    #expect(fields == [value: value])
  }

  @Test("a line is never longer than 8 KiB, stays valid JSON, and says that it was cut")
  func longLine() throws {
    log().write(.error, "x", "y", ["body": String(repeating: "é\n", count: 50_000), "n": "1"])
    let many = Dictionary(uniqueKeysWithValues: (0..<3000).map { ("key\($0)", "value") })
    log().tagged(operation: String(repeating: "o", count: 9000)).write(.error, "x", "y", many)
    for line in recorder.values {
      #expect(line.utf8.count <= Log.maximumLineBytes)
      let fields = try JSONDecoder().decode(Decoded.self, from: Data(line.utf8)).fields
      #expect(fields["cut"] == "true")
    }
    #expect(recorder.values.count == 2)
    #expect(recorder.values.first?.contains(#""n":"1""#) == true)
  }

  @Test(
    "a level below the threshold writes nothing and costs nothing", arguments: LogLevel.allCases)
  func threshold(level: LogLevel) {
    var wasEvaluated = false
    func fields() -> [String: String] {
      wasEvaluated = true
      return [:]
    }
    log(.warn).write(level, "x", "y", fields())
    let isWanted = [.warn, .error, .fault].contains(level)
    #expect(recorder.values.count == (isWanted ? 1 : 0))
    #expect(wasEvaluated == isWanted)
  }

  @Test("the level of one target can be set, and setting all resets it")
  func targets() {
    let thresholds = LogThresholds()
    #expect(!thresholds.allow(.debug, target: "http"))
    thresholds.set(.debug, target: "http")
    #expect(thresholds.allow(.debug, target: "http"))
    #expect(!thresholds.allow(.debug, target: "login"))
    thresholds.set(.error)
    #expect(!thresholds.allow(.warn, target: "http"))
  }

  private struct Decoded: Decodable { var fields: [String: String] }
}

@Suite("Log lines on their way out")
struct StderrSinkTests {
  @Test("lines arrive whole and in order")
  func order() throws {
    let pipe = Pipe()
    let sink = StderrSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    for number in 0..<100 { sink.sink.accept(Array("line \(number)".utf8)) }
    #expect(sink.flush(within: .seconds(10)))
    sink.close()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == (0..<100).map { "line \($0)\n" }.joined())
  }

  @Test("a shell that never reads loses the oldest lines, and the next one written says how many")
  func neverRead() throws {
    let pipe = Pipe()
    let clock = TestClock().clock
    let sink = StderrSink(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, backlogLimit: 2000, clock: clock)
    // A pipe takes 64 KiB; this first line fills it and holds the writer.
    let plug = [UInt8](repeating: UInt8(ascii: "p"), count: 70_000)
    let roomy = StderrSink(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, backlogLimit: 100_000, clock: clock)
    roomy.sink.accept(plug)
    #expect(!roomy.flush(within: .milliseconds(50)))
    sink.sink.accept([UInt8](repeating: UInt8(ascii: "q"), count: 1000))
    #expect(!sink.flush(within: .milliseconds(50)), "the writer holds the first line")
    for number in 0..<50 {
      sink.sink.accept(Array("\(number) ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 90))
    }

    let reader = pipe.fileHandleForReading
    var received: [UInt8] = []
    while !received.suffix(200).contains(UInt8(ascii: "4")) || received.last != UInt8(ascii: "\n")
      || !String(decoding: received.suffix(200), as: UTF8.self).contains("49 xx")
    {
      received += reader.availableData
    }
    let lines = String(decoding: received, as: UTF8.self).split(separator: "\n")
    let note = try #require(lines.first { $0.hasPrefix("{") })
    let kept = lines.filter { $0.hasSuffix("x") }
    #expect(kept.count <= 2000 / 94)
    #expect(
      note == #"{"ts":"2026-03-01T12:00:00.000Z","level":"warn","target":"log","#
        + #""msg":"lines dropped","fields":{"count":\#(50 - kept.count)}}"#)
    sink.close()
    roomy.close()
  }

  @Test("a reader that went away costs nothing but the lines")
  func brokenPipe() throws {
    let pipe = Pipe()
    let sink = StderrSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForReading.close()
    sink.sink.accept(Array("x".utf8))
    #expect(sink.flush(within: .seconds(10)))
    sink.close()
  }
}
