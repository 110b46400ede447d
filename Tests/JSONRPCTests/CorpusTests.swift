import Foundation
import GrainTestSupport
import StrictJSON
import SystemClients
import Testing

@testable import JSONRPC

@Suite("The corpus of the envelope reader (Tests/Corpora/envelope)")
struct CorpusTests {
  private static let folder = SharedData.repositoryRoot.appending(path: "Tests/Corpora/envelope")

  private static func corpus() throws -> [[UInt8]] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      Array(try Data(contentsOf: folder.appending(path: $0)))
    }
  }

  /// The same properties as the fuzzer's: cut anywhere the stream reads the same, and what was read
  /// reads the same when it is written again.
  private static func check(_ input: [UInt8], _ comment: Comment) {
    let bytes = Array(input.dropFirst())
    let whole = FrameSplitterTests.events(bytes, limit: 4_096)
    #expect(
      FrameSplitterTests.events(
        bytes, limit: 4_096, chunks: Array(repeating: 1, count: bytes.count)) == whole, comment)
    for case .frame(let frame) in whole {
      let reading = Envelope.read(frame, limits: JSONLimits())
      guard let value = try? JSONParser.parse(frame) else { continue }  // refused, and that is all
      #expect(Envelope.read(value.serialized(), limits: JSONLimits()) == reading, comment)
    }
  }

  @Test("every stream of it holds what the fuzzer asks of every stream")
  func corpusHolds() throws {
    let corpus = try Self.corpus()
    #expect(corpus.count >= 20)
    for (index, input) in corpus.enumerated() { Self.check(input, "number \(index)") }
  }

  @Test("so does each with bytes changed, taken out and put in, by a printed seed")
  func mutated() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("mutations of the envelope corpus: seed \(seed)")
    let random = SystemRandom.seeded(seed)
    let words = [
      "\"", "{", "}", "[", "\\u", "\n", "\r\n", ":", ",", "null", "1e9", "\u{FEFF}",
      "Content-Length: 3\r\n\r\n",
    ]
    for (index, input) in try Self.corpus().enumerated() where input.count < 1_000 {
      for round in 0..<40 {
        var bytes = input
        for _ in 0...random.integer(below: 3) where bytes.count > 1 {
          let place = 1 + random.integer(below: bytes.count - 1)
          switch random.integer(below: 3) {
          case 0: bytes[place] = random.bytes(1).first ?? 0
          case 1: bytes.remove(at: place)
          default:
            bytes.insert(contentsOf: words[random.integer(below: words.count)].utf8, at: place)
          }
        }
        Self.check(bytes, "seed \(seed), number \(index), round \(round)")
      }
    }
  }
}
