import Glibc
import StrictJSON

@testable import JSONRPC

/// libFuzzer's driver, which is there when everything is compiled for it (`.ci/fuzz`).
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Feeds the envelope reader whatever libFuzzer thinks of: the first byte of an input says how the
/// stream arrives, the rest is the stream.
@main
enum EnvelopeFuzz {
  static func main() {
    var count = CommandLine.argc
    var words = CommandLine.unsafeArgv
    exit(runFuzzer(&count, &words, fuzzOneInput))
  }
}

/// One input. Under this name libFuzzer's own entry point asks for it too.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  EnvelopeProperties.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// What must hold for every stream: no crash, the same messages however it is cut, and a message that
/// was read reads the same when it is written again.
enum EnvelopeProperties {
  private static let limit = 4_096

  static func check(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let framing = [Framing.auto, .auto, .lines, .headers][Int(first & 3)]
    let stream = Array(input.dropFirst())
    let whole = events(stream, framing, step: stream.count)
    let cut = events(stream, framing, step: 1 + Int(first >> 2))
    precondition(whole == cut, "cut elsewhere, the stream reads otherwise")
    for case .frame(let frame) in whole { checkFrame(frame) }
  }

  private static func events(
    _ stream: [UInt8], _ framing: Framing, step: Int
  ) -> [FrameSplitter.Event] {
    var splitter = FrameSplitter(framing: framing, limit: limit)
    var events: [FrameSplitter.Event] = []
    var rest = stream[...]
    while !rest.isEmpty {
      splitter.push(rest.prefix(max(1, step))) { events.append($0) }
      rest = rest.dropFirst(max(1, step))
    }
    splitter.finish { events.append($0) }
    return events
  }

  private static func checkFrame(_ frame: ArraySlice<UInt8>) {
    let limits = JSONLimits()
    let reading = Envelope.read(frame, limits: limits)
    do throws(JSONParseError) {
      let value = try JSONParser.parse(frame, limits: limits)
      let written = value.serialized()
      precondition(!written.contains { $0 < 0x20 || $0 == 0x7F }, "a control character was written")
      precondition(
        Envelope.read(written, limits: limits) == reading, "written again, it reads otherwise")
    } catch {
      if case .message = reading { preconditionFailure("a message that is not JSON") }
    }
  }
}
