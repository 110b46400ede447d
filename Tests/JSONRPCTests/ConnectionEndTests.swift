import Foundation
import StrictJSON
import Testing

@testable import JSONRPC

@Suite("How a connection ends (§3.3)", .timeLimit(.minutes(1)))
struct ConnectionEndTests {
  @Test("what was read before the end of input is still run and answered (FB-C2, FB-C18)")
  func endOfInput() async throws {
    let peer = try Peer(.test())
    peer.request(1, "a")
    peer.send(Array(#"{"jsonrpc":"2.0","id":2,"method":"b"}"#.utf8))
    peer.closeInput()
    #expect(await peer.connection.ended() == .endOfInput)
    #expect(await peer.connection.next() == .request(id: .number(1), method: "a", params: [:]))
    #expect(await peer.connection.next() == .request(id: .number(2), method: "b", params: [:]))
    #expect(await peer.connection.next() == nil)
    #expect(await peer.connection.next() == nil)
    peer.connection.respond(.number(1), [:])
    peer.connection.respond(.number(2), [:])
    #expect(await peer.connection.flush())
    peer.connection.close()
    #expect(try await peer.rest().map { $0["id"] } == [1, 2])
    #expect(peer.connection.end == .endOfInput)
  }

  @Test("half a request before the end gives one error at most")
  func halfRequest() async throws {
    let peer = try Peer(.test())
    peer.send(Array(#"{"jsonrpc":"2.0","id":2,"me"#.utf8))
    peer.closeInput()
    #expect(await peer.connection.next() == nil)
    #expect(await peer.connection.flush())
    peer.connection.close()
    #expect(try await peer.rest().map { $0[pointer: "/error/code"] } == [-32700])
  }

  @Test("a stream cut at any byte ends cleanly (§14.8)", arguments: [false, true])
  func cutAnywhere(withHeaders: Bool) async throws {
    let body = #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"t":"é😀"}}"#
    let text = withHeaders ? "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" : body + "\n"
    let bytes = Array(text.utf8)
    for length in 0...bytes.count {
      let peer = try Peer(.test())
      peer.send(Array(bytes[..<length]))
      peer.closeInput()
      #expect(await peer.connection.next() == nil)
      #expect(peer.connection.end == .endOfInput)
      #expect(await peer.connection.flush())
      peer.connection.close()
      #expect(try await peer.rest().count <= 1)
    }
  }

  @Test("a peer that does not read us any more ends the connection, even while it is idle")
  func outputClosed() async throws {
    let peer = try Peer(reading: false, .test())
    peer.request(1, "a")
    #expect(await peer.connection.next() != nil)
    peer.request(2, "b")
    peer.closeOutput()
    #expect(await peer.connection.ended() == .outputClosed)
    while let late = await peer.connection.next() {
      #expect(late == .request(id: .number(2), method: "b", params: [:]))
    }
    #expect(await peer.connection.flush() == false)
    peer.connection.respond(.number(1), [:])
  }

  @Test("the same over a socket")
  func socketClosed() async throws {
    let peer = try Peer(overSocket: true, reading: false, .test())
    peer.closeInput()
    peer.closeOutput()
    let end = await peer.connection.ended()
    #expect(end == .outputClosed || end == .endOfInput)
    #expect(await peer.connection.next() == nil)
  }

  @Test("lost framing ends the session, after what came before (exit 65)")
  func framingLost() async throws {
    let peer = try Peer(.test())
    let body = #"{"jsonrpc":"2.0","id":1,"method":"a"}"#
    peer.send(
      Array("Content-Length: \(body.utf8.count)\r\n\r\n\(body)Content-Length: 1x\r\n\r\n".utf8))
    #expect(await peer.connection.ended() == .framingLost(.badLength))
    #expect(await peer.connection.next() == .request(id: .number(1), method: "a", params: [:]))
    #expect(await peer.connection.next() == nil)
  }

  @Test("a peer that takes no byte for 30 s while an answer waits is stuck (§14.7, exit 75)")
  func stuck() async throws {
    let clock = ManualClock()
    let peer = try Peer(reading: false, .test { $0.clock = clock.clock })
    peer.request(1, "a")
    _ = await peer.connection.next()
    peer.connection.respond(.number(1), ["t": .string(String(repeating: "a", count: 300_000))])
    while peer.connection.end == nil {
      clock.advance(by: .seconds(31))
      peer.connection.clockMoved()
      await Task.yield()
    }
    #expect(peer.connection.end == .peerStuck)
    #expect(await peer.connection.next() == nil)
  }

  @Test("a peer that owes us no answer may pause as long as it likes; the state is there after it")
  func longPause() async throws {
    let clock = ManualClock()
    let text = String(repeating: "a", count: 300_000)
    let peer = try Peer(
      reading: false,
      .test {
        $0.clock = clock.clock
        $0.state = StateSource { keys in
          var rest = keys[...]
          return { rest.popFirst().map { EncodedMessage(notification: $0, ["t": .string(text)]) } }
        }
      })
    peer.request(1, "subscribe")
    _ = await peer.connection.next()
    peer.connection.respond(.number(1), [:], opening: [RPCSubscription(key: "s", maximumRate: 1)])
    while peer.connection.statistics.queuedControlBytes > 0 { await Task.yield() }
    for _ in 0..<100 {
      clock.advance(by: .seconds(31))
      peer.connection.clockMoved()
      await Task.yield()
    }
    #expect(peer.connection.end == nil)
    try peer.startReading()
    #expect(try await peer.next()?["id"] == 1)
    #expect(try await peer.next()?["method"] == "s")
  }

  @Test("a peer that asks without end and reads nothing is stuck at 4 MiB")
  func tooMuchControl() async throws {
    let peer = try Peer(reading: false, .test())
    let ping = Array(#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#.utf8) + [0x0A]
    let many = Array([[UInt8]](repeating: ping, count: 1_000).joined())
    while peer.connection.end == nil { peer.send(many) }
    #expect(peer.connection.end == .peerStuck)
  }

  @Test("close ends everything that waits, twice as well as once")
  func closing() async throws {
    let peer = try Peer(.test { $0.framing = .lines })
    async let message = peer.connection.next()
    async let answer = peer.connection.ask("m", [:])
    _ = try await peer.next()
    peer.connection.close()
    peer.connection.close(.peerStuck)
    #expect(await message == nil)
    #expect(await answer == .connectionEnded)
    #expect(await peer.connection.flush() == false)
    #expect(await peer.connection.ended() == .closed)
    #expect(try await peer.rest() == [])
  }

  @Test("stopping to read is like the end of input, for us to choose")
  func stopping() async throws {
    let peer = try Peer(.test())
    peer.request(1, "a")
    while peer.connection.statistics.inFlight == 0 { await Task.yield() }
    peer.connection.stopReading()
    #expect(await peer.connection.next() == .request(id: .number(1), method: "a", params: [:]))
    #expect(await peer.connection.next() == nil)
    #expect(peer.connection.end == .stopped)
    peer.connection.respond(.number(1), [:])
    #expect(try await peer.next()?["id"] == 1)
  }

  @Test("end of input, stop and close at the same moment, 200 times over (FB-C14)")
  func races() async throws {
    for round in 0..<200 {
      let peer = try Peer(overSocket: round % 2 == 0, .test())
      peer.request(1, "a")
      await withTaskGroup(of: Void.self) { group in
        group.addTask { peer.closeInput() }
        group.addTask { peer.connection.stopReading() }
        group.addTask { peer.connection.close() }
        group.addTask { while await peer.connection.next() != nil {} }
        group.addTask { _ = await peer.connection.flush() }
        group.addTask { _ = await peer.connection.ask("m", [:]) }
      }
      #expect(try await peer.rest().count <= 1)
    }
  }

  @Test("a cancelled consumer does not wait")
  func cancelledConsumer() async throws {
    let peer = try Peer(.test())
    let consumer = Task { await peer.connection.next() }
    consumer.cancel()
    #expect(await consumer.value == nil)
    #expect(peer.connection.end == nil)
  }

  @Test("files and /dev/null are inputs like any other (FB-F6)")
  func otherInputs() async throws {
    let path = NSTemporaryDirectory() + "jsonrpc-input-\(UUID().uuidString)"
    try #"{"jsonrpc":"2.0","id":1,"method":"a"}"#.write(
      toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }  // only litter
    for (name, count) in [(path, 1), ("/dev/null", 0)] {
      let connection = try RPCConnection.start(
        input: open(name, O_RDONLY), output: open("/dev/null", O_WRONLY), configuration: .test())
      var messages = 0
      while await connection.next() != nil { messages += 1 }
      #expect(messages == count)
      #expect(connection.end == .endOfInput)
      connection.close()
    }
  }
}
