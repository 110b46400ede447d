import Foundation
import StrictJSON
import SystemClients
import Testing

@testable import JSONRPC

@Suite("What the reader thread answers by itself", .timeLimit(.minutes(3)))
struct WriteAtOnceTests {
  /// Which thread did what, in order.
  private struct Step: Hashable, Sendable {
    let isSent: Bool
    let thread: UInt
  }

  private static func configuration(_ steps: Record<[Step]>) -> RPCConfiguration {
    .test {
      $0.framing = .lines
      $0.observe = { traffic in
        let isSent = if case .sent = traffic { true } else { false }
        steps.change { $0.append(Step(isSent: isSent, thread: UInt(pthread_self()))) }
      }
    }
  }

  /// Once the writer rests: everything it could have been woken for is done.
  private func rest(_ connection: RPCConnection) async throws {
    while !connection.state.withLock({ $0.pen == .free && $0.writerWaits }) {
      try #require(connection.end == nil)
      await Task.yield()
    }
  }

  @Test(
    "a ping is answered by the thread that read it, without a change of threads (§8, Speed)",
    arguments: [false, true])
  func sameThread(overSocket: Bool) async throws {
    let steps = Record<[Step]>([])
    let peer = try Peer(overSocket: overSocket, Self.configuration(steps))
    for id in 0..<20 {
      try await rest(peer.connection)
      peer.request(id, "ping")
      #expect(try await peer.next()?["id"] == JSONValue(id))
    }
    #expect(steps.value.map(\.isSent) == (0..<40).map { !$0.isMultiple(of: 2) })
    #expect(Set(steps.value.map(\.thread)).count == 1)
  }

  @Test(
    "what the pipe does not take at once is finished by the writer, whole and in order",
    arguments: [false, true])
  func unfinished(overSocket: Bool) async throws {
    let padding = JSONValue.string(String(repeating: "x", count: 1_500))
    let sent = Record(0)
    let peer = try Peer(
      overSocket: overSocket, reading: false,
      .test {
        $0.framing = .lines
        $0.immediateRequests["ping"] = { _, _ in .result(["padding": padding]) }
        $0.observe = { if case .sent = $0 { sent.change { $0 += 1 } } }
      })
    // One by one until the pipe is full: the rest of the last answer is the writer's.
    var count = 0
    while peer.connection.statistics.queuedControlBytes == 0 {
      try await rest(peer.connection)
      peer.request(count, "ping")
      count += 1
      while sent.value < count || peer.connection.state.withLock({ $0.pen == .reader }) {
        await Task.yield()
      }
    }
    #expect(count > 10)
    for more in count..<(count + 10) { peer.request(more, "ping") }
    try peer.startReading(chunk: 700)
    for id in 0..<(count + 10) {
      let answer = try #require(try await peer.next())
      #expect(answer["id"] == JSONValue(id))
      #expect(answer[pointer: "/result/padding"] == padding)
    }
  }

  @Test(
    "pings between the answers and events of others: all whole, each sender's in order (FB-C10)")
  func amongOthers() async throws {
    let peer = try Peer(.test { $0.framing = .lines })
    let pings = 2_000
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<3 {
        group.addTask {
          for number in 0..<700 {
            peer.connection.notify("s\(sender)", ["n": JSONValue(number)])
            if number % 50 == 0 { _ = await peer.connection.flush() }
          }
        }
      }
      group.addTask { for id in 0..<pings { peer.request(id, "ping") } }
    }
    var answered = 0
    var seen: [String: Int] = [:]
    while answered < pings || seen.values.reduce(0, +) < 2_100 {
      let message = try #require(try await peer.next())
      if let method = message["method"]?.stringValue {
        #expect(message[pointer: "/params/n"] == JSONValue(seen[method, default: 0]))
        seen[method, default: 0] += 1
      } else {
        #expect(message["id"] == JSONValue(answered))
        answered += 1
      }
    }
  }

  @Test("state that is due is not kept waiting by pings (W3)")
  func stateGoesOn() async throws {
    let peer = try Peer(
      .test {
        $0.framing = .lines
        $0.state = StateSource { keys in
          var left = keys.map { EncodedMessage(notification: $0, [:]) }[...]
          return { left.popFirst() }
        }
      })
    peer.request(1, "subscribe")
    _ = await peer.connection.next()
    peer.connection.respond(
      .number(1), [:], opening: [RPCSubscription(key: "s", maximumRate: 1_000)])
    #expect(try await peer.next()?["id"] == 1)
    #expect(try await peer.next()?["method"] == "s")
    let marking = Task.detached {
      while !Task.isCancelled {
        peer.connection.markDirty(["s"])
        await Task.yield()
      }
    }
    defer { marking.cancel() }
    var states = 0
    while states < 20 {
      states += try await peer.untilPong().count { $0["method"] == "s" }
      try #require(peer.connection.end == nil)
    }
  }

  @Test("the end at any moment of an answer: nothing is written to a descriptor that was closed")
  func ends() async throws {
    for round in 0..<300 {
      let peer = try Peer(overSocket: round % 2 == 0, .test { $0.framing = .lines })
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for id in 0..<20 { peer.request(id, "ping") } }
        group.addTask { peer.connection.close() }
      }
      let ids = try await peer.rest().map { $0["id"] }
      #expect(ids == (0..<ids.count).map { JSONValue($0) })
      #expect(peer.connection.end == .closed)
    }
  }

  @Test("a write leaves the wake-up to the thread that waits for it")
  func wakeUp() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let wake = try WakeSignal()
    let output = OutputDescriptor(descriptor: ends[1], wake: wake)
    wake.raise()
    #expect(output.write([0x0A], from: 0) == .wrote(1))
    #expect(output.wait(forRoom: false, limit: .zero) == .woken)
    #expect(output.wait(forRoom: false, limit: .zero) == .timedOut)
  }

  @Test("a peer that is gone is noticed by whoever writes")
  func gone() async throws {
    let peer = try Peer(reading: false, .test { $0.framing = .lines })
    try await rest(peer.connection)
    peer.closeOutput()
    peer.request(1, "ping")
    #expect(await peer.connection.ended() == .outputClosed)
  }
}
