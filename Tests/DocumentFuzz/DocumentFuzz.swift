import Glibc

/// libFuzzer's driver, which is there when everything is compiled for it (`.ci/fuzz`).
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Feeds whatever libFuzzer thinks of to everything that reads a stranger's bytes: the first byte of an
/// input is the digit of a reader, the rest is what it reads.
@main
enum DocumentFuzz {
  static func main() {
    var count = CommandLine.argc
    var words = CommandLine.unsafeArgv
    exit(runFuzzer(&count, &words, fuzzOneInput))
  }
}

/// One input. Under this name libFuzzer's own entry point asks for it too.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = input.first else { return 0 }
  let bytes = Array(input.dropFirst())
  switch first {
  case UInt8(ascii: "0"): DocumentProperties.identity(bytes)
  case UInt8(ascii: "1"): DocumentProperties.metadata(bytes)
  case UInt8(ascii: "2"): DocumentProperties.tokens(bytes)
  case UInt8(ascii: "3"): DocumentProperties.refusal(bytes)
  case UInt8(ascii: "4"): DocumentProperties.callback(bytes)
  case UInt8(ascii: "5"): DocumentProperties.scope(bytes)
  case UInt8(ascii: "6"): MessageProperties.response(bytes)
  case UInt8(ascii: "7"): MessageProperties.request(bytes)
  case UInt8(ascii: "8"): PictureProperties.check(bytes)
  default: return -1  // No reader: not worth keeping.
  }
  return 0
}
