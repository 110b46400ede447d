import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

@testable import Transcripts

@Suite("What a scripted shell holds")
struct StateMirrorTests {
  private static func snapshot(
    _ revision: Int, _ state: JSONValue, base: (Int, JSONValue)? = nil, digest: String? = nil
  ) -> JSONValue {
    var params: JSONObject = [
      "subscription": "s", "model": "m", "revision": JSONValue(revision),
      "digest": .string(digest ?? Self.digest(state)),
    ]
    if let (revision, old) = base {
      params["base"] = JSONValue(revision)
      params["merge"] = MergePatch.difference(from: old, to: state)
    } else {
      params["state"] = state
    }
    return ["method": "models/snapshot", "params": .object(params)]
  }

  private static func digest(_ state: JSONValue) -> String {
    Digest.sha256(state.serialized(sortedKeys: true))
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("10,000 random states without null arrive by their patches, digest by digest (§14.4)")
  func roundTrip() {
    let seed = UInt64.random(in: 0..<1_000_000)
    var source = RandomStates(random: .seeded(seed))
    var mirror = StateMirror()
    var held: JSONValue = [:]
    mirror.take(Self.snapshot(0, held))
    for revision in 1...10_000 {
      let next = source.next(after: held)
      mirror.take(Self.snapshot(revision, next, base: (revision - 1, held)))
      held = next
    }
    #expect(mirror.fault == nil, "seed \(seed)")
    #expect(mirror.state(.init(model: "m", subscription: nil)) == held, "seed \(seed)")
  }

  @Test("a digest of another state, and a patch on what is not held, are faults of the core")
  func faults() {
    var mirror = StateMirror()
    mirror.take(Self.snapshot(1, ["a": 1], digest: Self.digest(["a": 2])))
    #expect(mirror.fault?.contains("digest") == true)
    mirror = StateMirror()
    mirror.take(Self.snapshot(1, ["a": 1]))
    mirror.take(Self.snapshot(3, ["a": 2], base: (2, ["a": 1])))
    #expect(mirror.fault?.contains("not held") == true)
  }
}

/// Random changes of random states.
private struct RandomStates {
  let random: SystemRandom

  private static let texts = ["", "a", "é", "e\u{301}", "漢", "👩🏽‍🚀", "\u{2028}", "true", "1", "\"\\"]
  private static let names = ["a", "b", "c", "d", "e~/", "é", "e\u{301}", ""]

  mutating func next(after state: JSONValue) -> JSONValue {
    guard case .object(var object) = state else { return [:] }
    for _ in 0...random.integer(below: 3) {
      let name = Self.names[random.integer(below: Self.names.count)]
      switch random.integer(below: 4) {
      case 0: object[name] = nil
      case 1: object[name] = next(after: object[name] ?? [:])
      default: object[name] = value(depth: 0)
      }
    }
    return .object(object)
  }

  private func value(depth: Int) -> JSONValue {
    switch random.integer(below: depth > 2 ? 4 : 6) {
    case 0: return .bool(random.integer(below: 2) == 0)
    case 1: return JSONValue(random.integer(below: 3) - 1)
    case 2, 3: return .string(Self.texts[random.integer(below: Self.texts.count)])
    case 4: return .array((0..<random.integer(below: 3)).map { _ in value(depth: depth + 1) })
    default:
      var object = JSONObject()
      for _ in 0..<random.integer(below: 4) {
        object[Self.names[random.integer(below: Self.names.count)]] = value(depth: depth + 1)
      }
      return .object(object)
    }
  }
}
