import JSONRPC
import Testing

@Suite("Telling messages apart")
struct FrameSplitterTests {
  static func events(
    _ bytes: [UInt8], framing: Framing = .auto, limit: Int = 64, chunks: [Int] = []
  ) -> [FrameSplitter.Event] {
    var splitter = FrameSplitter(framing: framing, limit: limit)
    var events: [FrameSplitter.Event] = []
    var rest = bytes[...]
    for length in chunks where !rest.isEmpty {
      splitter.push(rest.prefix(length)) { events.append($0) }
      rest = rest.dropFirst(length)
    }
    splitter.push(rest) { events.append($0) }
    splitter.finish { events.append($0) }
    return events
  }

  static func frames(_ texts: [String]) -> [FrameSplitter.Event] {
    texts.map { .frame(Array($0.utf8)[...]) }
  }

  @Test(
    "a line is a message, whatever ends it (FB-C6, FB-C7, FB-C18)",
    arguments: [
      ("{1}\n{2}\n", ["{1}", "{2}"]),
      ("{1}\r\n{2}\r\n", ["{1}", "{2}"]),
      ("{1}\n{2}\r\n{3}", ["{1}", "{2}", "{3}"]),
      ("\u{feff}{1}\n{2}\n", ["{1}", "{2}"]),
      ("\n\r\n   \n\t\n{1}\n\n \n{2}\n\n", ["{1}", "{2}"]),
      ("{1}\n\u{feff}{2}\n", ["{1}", "\u{feff}{2}"]),
      ("x\n{2}\n", ["x", "{2}"]),
      ("[]\nContent-Length: 1\n", ["[]", "Content-Length: 1"]),
      ("{\"a\":\"é😀\u{2028}\"}\n", ["{\"a\":\"é😀\u{2028}\"}"]),
      ("", []), ("\u{feff}", []), (" \n", []), ("{", ["{"]),
    ])
  func lines(text: String, expected: [String]) {
    #expect(Self.events(Array(text.utf8)) == Self.frames(expected))
  }

  @Test("bytes that begin like a byte order mark and are none belong to the message")
  func falseMark() {
    #expect(Self.events([0xEF, 0xBB, 0x7B, 0x0A]) == [.frame([0xEF, 0xBB, 0x7B])])
    #expect(Self.events([0xEF]) == [.frame([0xEF])])
  }

  @Test("ten thousand blank lines are nothing (FB-C6)")
  func blankLines() {
    let blank = [UInt8](repeating: 0x0A, count: 10_000)
    #expect(Self.events(blank + Array("{1}\n".utf8) + blank) == Self.frames(["{1}"]))
  }

  @Test("a line over the limit is dropped to its end, the next is read")
  func longLine() {
    let fits = String(repeating: "a", count: 64)
    let text = "\(fits)\n\(fits)\r\n\(fits)b\n\(fits)\(fits)\(fits)\r\n{1}\n\(fits)bb"
    #expect(
      Self.events(Array(text.utf8))
        == Self.frames([fits, fits]) + [.tooLarge, .tooLarge] + Self.frames(["{1}"]) + [.tooLarge])
  }

  @Test(
    "a header says how many bytes follow",
    arguments: [
      ("Content-Length: 3\r\n\r\n{1}Content-Length: 4\r\n\r\n{\n2}", ["{1}", "{\n2}"]),
      ("content-length:3\r\nContent-Type: application/x; charset=utf-8\r\n\r\n{1}", ["{1}"]),
      ("\u{feff}\r\n CONTENT-LENGTH:  00000003 \r\n\r\n{1}", ["{1}"]),
      ("Content-Length: 0\r\n\r\nContent-Length: 3\r\n\r\n{1}", ["", "{1}"]),
      ("Content-Length: 5\r\n\r\n{1}", []),
      ("Content-Length: 5", []),
    ])
  func headers(text: String, expected: [String]) {
    #expect(Self.events(Array(text.utf8)) == Self.frames(expected))
  }

  @Test(
    "a header that cannot be trusted ends the stream",
    arguments: [
      ("Content-Length: 3\n\n{1}", FramingFault.unknownHeader),
      ("Content-Length: 3\r\nX-Other: 1\r\n\r\n{1}", .unknownHeader),
      ("Connection\r\n\r\n", .unknownHeader),
      ("Content-Length: 123456789\r\n\r\n", .badLength),
      ("Content-Length: -3\r\n\r\n", .badLength),
      ("Content-Length: 3a\r\n\r\n{1}", .badLength),
      ("Content-Length: \r\n\r\n", .badLength),
      ("Content-Type: x\r\n\r\n{1}", .missingLength),
      ("Content-Length: 3\r\nContent-Length: 3\r\n\r\n{1}", .missingLength),
      ("Content-Length: 3\r\n\r\n{1}\r\n", .missingLength),
      ("c" + String(repeating: "x", count: 1_024), .headerTooLong),
    ])
  func lostFraming(text: String, fault: FramingFault) {
    let events = Self.events(Array((text + "Content-Length: 3\r\n\r\n{9}").utf8))
    #expect(events.last == .lost(fault))
    #expect(!events.contains(.frame(Array("{9}".utf8)[...])))
  }

  @Test("a message over the limit is skipped by its announced length")
  func longBody() {
    let body = String(repeating: "a", count: 65)
    let text = "Content-Length: 65\r\n\r\n\(body)Content-Length: 3\r\n\r\n{1}"
    #expect(Self.events(Array(text.utf8)) == [.tooLarge] + Self.frames(["{1}"]))
  }

  @Test("a forced framing does not look at the first byte")
  func forced() {
    #expect(
      Self.events(Array("Content-Length: 3\n{1}\n".utf8), framing: .lines)
        == Self.frames(["Content-Length: 3", "{1}"]))
    #expect(
      Self.events(Array("{1}\r\n".utf8), framing: .headers) == [.lost(.unknownHeader)])
  }

  @Test("delivery byte by byte, coalesced or cut anywhere gives the same messages (§14.1, FB-C3)")
  func anyCuts() {
    let long = String(repeating: "é", count: 40)
    let streams = [
      "\u{feff}\r\n{\"t\":\"é 漢字 👩🏽‍🚀\"}\r\n\n  \n{2}\n\(long)\r\n{3}\r\n{\u{2028}}\n{last",
      "\u{feff}  Content-Length: 12\r\nContent-Type: a\r\n\r\n{\"t\":\"é👩\"}Content-Length: 80\r\n\r\n\(long)"
        + "Content-Length: 3\r\n\r\n{1}Content-Length: x\r\n\r\n",
      "[]\n" + String(repeating: "x", count: 64) + "\r\n" + String(repeating: "y", count: 65)
        + "\n{}",
    ]
    var random = SystemRandomNumberGenerator()
    for stream in streams.map({ Array($0.utf8) }) {
      let whole = Self.events(stream)
      #expect(whole.count > 1)
      #expect(Self.events(stream, chunks: Array(repeating: 1, count: stream.count)) == whole)
      for cut in 0...stream.count { #expect(Self.events(stream, chunks: [cut]) == whole) }
      for _ in 0..<500 {
        let chunks = (0..<stream.count).map { _ in Int.random(in: 1...9, using: &random) }
        #expect(Self.events(stream, chunks: chunks) == whole)
      }
    }
  }
}
