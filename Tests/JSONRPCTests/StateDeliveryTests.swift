import Foundation
import StrictJSON
import SystemClients
import Testing

@testable import JSONRPC
import SystemClients

/// A model that counts, and remembers which requests made it do so.
private final class Counter: Sendable {
  struct State: Sendable {
    var value = 0
    var revision = 0
    var causedBy: [Int] = []
    var frame = 0
    var documents = 0
  }

  let state = Locked(State())
  private let padding: JSONValue

  init(padding: Int = 0) { self.padding = .string(String(repeating: "a", count: padding)) }

  var source: StateSource {
    StateSource { keys in
      let now = self.state.withLock { state in
        state.frame += 1
        defer { state.causedBy = [] }
        return state
      }
      var rest = keys[...]
      return {
        rest.popFirst().map { key in
          self.state.withLock { $0.documents += 1 }
          return EncodedMessage(
            notification: "snapshot",
            [
              "subscription": .string(key), "value": JSONValue(now.value),
              "revision": JSONValue(now.revision), "frame": JSONValue(now.frame),
              "causedBy": .array(now.causedBy.map { JSONValue($0) }), "padding": self.padding,
            ])
        }
      }
    }
  }

  func commit(causedBy id: Int? = nil) {
    state.withLock { state in
      state.value += 1
      state.revision += 1
      if let id { state.causedBy.append(id) }
    }
  }
}

@Suite("Delivering state (§8)", .timeLimit(.minutes(2)))
struct StateDeliveryTests {
  private func start(
    _ counter: Counter, reading: Bool = true, subscriptions: [String] = ["s"], rate: Int = 60
  ) async throws -> Peer {
    let peer = try Peer(reading: reading, .test { $0.state = counter.source })
    peer.request(0, "subscribe")
    _ = await peer.connection.next()
    peer.connection.respond(
      .number(0), [:],
      opening: subscriptions.map { RPCSubscription(key: $0, maximumRate: rate) })
    return peer
  }

  @Test("the answer to a subscription comes before its first snapshot (O3)")
  func subscribing() async throws {
    let peer = try await start(Counter())
    #expect(try await peer.next()?["id"] == 0)
    #expect(try await peer.next()?[pointer: "/params/subscription"] == "s")
  }

  @Test("nothing follows the answer that ends a subscription (O3)")
  func unsubscribing() async throws {
    for _ in 0..<50 {
      let counter = Counter()
      let peer = try await start(counter)
      peer.request(1, "unsubscribe")
      let committing = Task.detached {
        for _ in 0..<200 {
          peer.connection.withStateHeld { counter.commit() }
          peer.connection.markDirty(["s"], urgency: .now)
        }
      }
      _ = await peer.connection.next()
      peer.connection.respond(.number(1), [:], closing: ["s"])
      await committing.value
      #expect(await peer.connection.flush())
      peer.connection.close()
      #expect(try await peer.rest().last?["id"] == 1)
    }
  }

  @Test("a verdict precedes every snapshot that names its request, at any pace of reading (O4, W1)")
  func verdictBeforeSnapshot() async throws {
    let counter = Counter()
    let peer = try await start(counter, reading: false)
    try peer.startReading(chunk: 97)
    let background = Task.detached {
      for number in 0..<3_000 {
        peer.connection.withStateHeld { counter.commit() }
        peer.connection.markDirty(["s"], urgency: .now)
        if number % 100 == 0 { peer.connection.notify("ended", [:], order: .afterState) }
      }
    }
    let consumer = Task.detached {
      while case .request(.number(let id), _, _) = await peer.connection.next() {
        peer.connection.withStateHeld {
          counter.commit(causedBy: id)
          peer.connection.markDirty(["s"], urgency: .now)
          peer.connection.respond(.number(id), [:])
        }
      }
    }
    var answered: Set<Int> = [0]
    var named = 0
    for id in 1...500 { peer.request(id, "change") }
    peer.closeInput()
    await background.value
    await consumer.value
    #expect(await peer.connection.flush())
    peer.connection.close()
    for message in try await peer.rest() {
      if let id = message["id"]?.intValue {
        answered.insert(id)
      } else {
        for id in message[pointer: "/params/causedBy"]?.arrayValue ?? [] {
          named += 1
          #expect(answered.contains(id.intValue ?? -1))
        }
      }
    }
    #expect(answered.count == 501)
    #expect(named > 0)
  }

  @Test("no frame is captured while state is held (O4, O8)")
  func holdingState() async throws {
    let isHeld = Record(false)
    let violations = Record(0)
    let captures = Record(0)
    let peer = try Peer(
      .test {
        $0.state = StateSource { _ in
          captures.change { $0 += 1 }
          if isHeld.value { violations.change { $0 += 1 } }
          return { nil }
        }
      })
    peer.request(0, "subscribe")
    _ = await peer.connection.next()
    peer.connection.respond(.number(0), [:], opening: [RPCSubscription(key: "s", maximumRate: 60)])
    for _ in 0..<50 {
      peer.connection.withStateHeld {
        isHeld.change { $0 = true }
        peer.connection.markDirty(["s"], urgency: .now)  // the writer would like to look now
        for _ in 0..<10 { sched_yield() }
        isHeld.change { $0 = false }
      }
      #expect(await peer.connection.flush())
    }
    #expect(captures.value > 25)
    #expect(violations.value == 0)
  }

  @Test("all snapshots of a frame show one instant (O8)")
  func oneInstant() async throws {
    let counter = Counter()
    let peer = try await start(counter, subscriptions: ["a", "b", "c"])
    for number in 0..<500 {
      peer.connection.withStateHeld { counter.commit() }
      peer.connection.markDirty(["a", "b", "c"], urgency: .now)
      if number % 50 == 0 { #expect(await peer.connection.flush()) }
    }
    #expect(await peer.connection.flush())
    peer.connection.close()
    var values: [Int: Set<Int>] = [:]
    for message in try await peer.rest() {
      guard let params = message["params"], let frame = params["frame"]?.intValue else { continue }
      values[frame, default: []].insert(params["value"]?.intValue ?? -1)
    }
    #expect(values.count >= 10)
    #expect(values.values.allSatisfy { $0.count == 1 })
  }

  @Test("state goes before the event it explains, though its pace would let it wait (O5)")
  func stateBeforeEvent() async throws {
    let counter = Counter()
    let peer = try await start(counter, rate: 1)
    #expect(try await peer.next()?["id"] == 0)
    #expect(try await peer.next()?[pointer: "/params/value"] == 0)
    counter.commit()
    peer.connection.markDirty(["s"])
    _ = peer.connection.request("effects/perform", [:], order: .afterState)
    #expect(try await peer.next()?[pointer: "/params/value"] == 1)
    #expect(try await peer.next()?["method"] == "effects/perform")
  }

  @Test("the last change is always delivered, by the clock alone (O6)")
  func trailingEdge() async throws {
    let clock = ManualClock()
    let counter = Counter()
    let peer = try Peer(
      .test {
        $0.state = counter.source
        $0.clock = clock.clock
      })
    peer.request(0, "subscribe")
    _ = await peer.connection.next()
    peer.connection.respond(.number(0), [:], opening: [RPCSubscription(key: "s", maximumRate: 10)])
    #expect(try await peer.next()?["id"] == 0)
    #expect(try await peer.next()?[pointer: "/params/value"] == 0)
    for _ in 0..<10 {
      counter.commit()
      peer.connection.markDirty(["s"])
    }
    #expect(try await peer.untilPong() == [])
    clock.advance(by: .milliseconds(100))
    peer.connection.clockMoved()
    #expect(try await peer.next()?[pointer: "/params/value"] == 10)
    #expect(peer.connection.statistics.coalesced == 9)
  }

  @Test(
    "100,000 changes while nobody reads queue nothing and lose nothing that must not be lost (§14.6)"
  )
  func stoppedReader() async throws {
    let counter = Counter(padding: 100_000)  // more than a pipe holds
    let peer = try await start(counter, reading: false, subscriptions: ["a", "b"])
    for number in 1...100_000 {
      peer.connection.withStateHeld { counter.commit() }
      peer.connection.markDirty(["a", "b"])
      if number % 1_000 == 0 { peer.connection.notify("ended", ["n": JSONValue(number)]) }
    }
    #expect(counter.state.withLock(\.documents) <= 1)
    #expect(peer.connection.statistics.queuedControlBytes < 10_000)
    try peer.startReading()
    #expect(await peer.connection.flush())
    peer.connection.close()
    let messages = try await peer.rest()
    #expect(
      messages.filter { $0["method"] == "ended" }.map { $0[pointer: "/params/n"] }
        == (1...100).map { JSONValue($0 * 1_000) })
    for key in ["a", "b"] {
      let mine = messages.filter { $0[pointer: "/params/subscription"] == .string(key) }
      let revisions = mine.compactMap { $0[pointer: "/params/revision"]?.intValue }
      #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
      #expect(revisions.last == 100_000)
    }
  }

  @Test(
    "200 requests at once, answers of 100 kB, a reader in small steps: every line whole, every id once (FB-C8, FB-C10)"
  )
  func slowReader() async throws {
    let counter = Counter()
    let peer = try await start(counter, reading: false)
    let text = JSONValue.string(String(repeating: "é", count: 50_000))
    let consumer = Task.detached {
      while case .request(let id, _, _) = await peer.connection.next() {
        counter.commit()
        peer.connection.markDirty(["s"])
        peer.connection.notify("note", ["id": id.json], order: .afterState)
        peer.connection.respond(id, ["text": text])
      }
    }
    for id in 1...200 { peer.request(id, "big") }
    peer.closeInput()
    try peer.startReading(chunk: 1_000)
    await consumer.value
    #expect(await peer.connection.flush())
    #expect(peer.connection.end == .endOfInput)
    peer.connection.close()
    let answers = try await peer.rest().filter { $0["id"] != nil && $0["id"] != 0 }
    #expect(Set(answers.compactMap { $0["id"]?.intValue }) == Set(1...200))
    #expect(answers.count == 200)
    let refused = answers.filter { $0[pointer: "/error/code"] == -32005 }.count
    #expect(answers.filter { $0[pointer: "/result/text"] == text }.count == 200 - refused)
    #expect(refused <= 136)
  }
}
