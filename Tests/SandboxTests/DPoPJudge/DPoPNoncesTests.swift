import Foundation
import Testing

@testable import Sandbox

@Suite("Nonces")
struct DPoPNoncesTests {
  private let nonces = DPoPNonces(secret: Array(repeating: 7, count: 32))
  private let start = Date(timeIntervalSince1970: 1_772_366_400)

  @Test("a nonce is good from when it is handed out until its minute is two behind")
  func lifetime() {
    let nonce = nonces.next(now: start)
    for seconds in [0.0, 59, 60, 179] {
      #expect(nonces.accepts(nonce, now: start + seconds), "after \(seconds) s")
    }
    for seconds in [180.0, 3600, -60] {
      #expect(!nonces.accepts(nonce, now: start + seconds), "after \(seconds) s")
    }
  }

  @Test("within a minute every answer carries the same nonce, the next minute's another")
  func rotation() {
    #expect(nonces.next(now: start) == nonces.next(now: start + 59.9))
    #expect(nonces.next(now: start) != nonces.next(now: start + 60))
  }

  @Test("a nonce is 43 characters of base64url, the canary among them")
  func form() {
    let nonce = nonces.next(now: start)
    #expect(nonce.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
    #expect(nonce.contains("GRAINCANARY"))
  }

  @Test("another server's nonce and a made-up one are not accepted (FB-A2)")
  func foreign() {
    let other = DPoPNonces(secret: Array(repeating: 8, count: 32))
    #expect(!nonces.accepts(other.next(now: start), now: start))
    #expect(!nonces.accepts("", now: start))
  }

  @Test("where every answer brings a new nonce, only the newest is good (FB-A1)")
  func everyAnswer() {
    #expect(!nonces.accepts(nonces.next(now: start), now: start, rotation: .everyAnswer))
    let first = nonces.next(now: start, rotation: .everyAnswer)
    #expect(nonces.accepts(first, now: start, rotation: .everyAnswer))
    let second = nonces.next(now: start, rotation: .everyAnswer)
    #expect(first != second)
    #expect(!nonces.accepts(first, now: start, rotation: .everyAnswer))
    #expect(nonces.accepts(second, now: start, rotation: .everyAnswer))
  }
}

@Suite("Proofs are good once")
struct ProofReplayMemoryTests {
  private let start = Date(timeIntervalSince1970: 1_772_366_400)

  @Test("an identifier is remembered for 198 seconds")
  func lifetime() {
    let memory = ProofReplayMemory()
    #expect(memory.isNew("a", now: start))
    #expect(!memory.isNew("a", now: start + 197))
    #expect(memory.isNew("b", now: start))
    #expect(memory.isNew("a", now: start + 198))
  }

  @Test("what is still remembered survives the clearing out of the rest")
  func clearing() {
    let memory = ProofReplayMemory()
    for number in 0..<255 { #expect(memory.isNew("old \(number)", now: start)) }
    #expect(memory.isNew("young", now: start + 100))
    for number in 0..<600 { #expect(memory.isNew("new \(number)", now: start + 250)) }
    #expect(!memory.isNew("young", now: start + 250))
  }
}
