import Foundation
import GrainSnapshots
import GrainTestSupport
import Testing

@Suite("The registry of errors")
struct ErrorKindTests {
  private struct Registry: Decodable {
    struct Entry: Decodable {
      struct Words: Decodable {
        var key: String
        var params: [String]
        var fallback: String
      }
      var code: Int
      var kind: ErrorKind
      var retryable: Bool
      var summary: String
      var message: Words
    }
    var errors: [Entry]
  }

  private let registry: Registry

  init() throws {
    let file = SharedData.repositoryRoot.appending(path: "Schemas/v1/errors.json")
    registry = try JSONDecoder().decode(Registry.self, from: Data(contentsOf: file))
  }

  @Test("errors.json and ErrorKind list the same kinds in the same order")
  func sameKinds() {
    #expect(registry.errors.map(\.kind) == ErrorKind.allCases)
  }

  @Test("errors.json and ErrorKind agree on code, retryability and words")
  func sameFacts() {
    for entry in registry.errors {
      #expect(entry.code == entry.kind.code, "\(entry.kind)")
      #expect(entry.retryable == entry.kind.isRetryable, "\(entry.kind)")
      #expect(entry.summary == entry.kind.summary, "\(entry.kind)")
      #expect(entry.message.key == entry.kind.messageKey, "\(entry.kind)")
      #expect(entry.message.fallback == entry.kind.fallbackTemplate, "\(entry.kind)")
    }
  }

  @Test("the registry names every parameter its sentence mentions, and no other")
  func parameters() {
    for entry in registry.errors {
      let params = Dictionary(
        uniqueKeysWithValues: entry.message.params.map { ($0, PlainValue.text("<\($0)>")) })
      let filled = Problem(entry.kind, params: params).message.fallback
      #expect(!filled.contains("…"), "\(entry.kind): \(filled)")
      for name in params.keys { #expect(filled.contains("<\(name)>"), "\(entry.kind)") }
    }
  }

  @Test("no sentence for a person holds a code or the words of a protocol")
  func wording() {
    for kind in ErrorKind.allCases {
      let words = kind.fallbackTemplate
      #expect(words.hasSuffix("."), "\(kind)")
      for jargon in ["JSON", "OAuth", "PDS", "DID", "HTTP", "token", "null"] {
        #expect(!words.contains(jargon), "\(kind): \(words)")
      }
    }
  }

  @Test("our codes are positive, JSON-RPC's are in its reserved block")
  func blocks() {
    for kind in ErrorKind.allCases {
      let isDomain = (1000...6999).contains(kind.code)
      let isReserved = (-32_801 ... -32_001).contains(kind.code)
      #expect(isDomain || isReserved, "\(kind)")
    }
  }
}
