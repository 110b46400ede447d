import Foundation
import StrictJSON
import Testing

@testable import JSONRPC

@Suite("A connection", .timeLimit(.minutes(1)))
struct RPCConnectionTests {
  @Test("messages come in the order they were sent (O1)", arguments: [false, true])
  func order(overSocket: Bool) async throws {
    let peer = try Peer(overSocket: overSocket, .test())
    for id in 0..<50 { peer.request(id, "m\(id)") }
    for id in 0..<50 {
      #expect(
        await peer.connection.next() == .request(id: .number(id), method: "m\(id)", params: [:]))
      peer.connection.respond(.number(id), ["n": JSONValue(id)])
    }
    for id in 0..<50 { #expect(try await peer.next()?["id"] == JSONValue(id)) }
  }

  @Test("with headers on the way in there are headers on the way out")
  func headers() async throws {
    let seen = Record<[RPCTraffic]>([])
    let peer = try Peer(
      reading: false, .test { $0.observe = { traffic in seen.change { $0.append(traffic) } } })
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    peer.send(Array("Content-Length: \(ping.utf8.count)\r\n\r\n\(ping)".utf8))
    try peer.startReading()  // finds out the framing by itself: headers, or there is no message
    #expect(try await peer.next()?.text() == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    #expect(
      seen.value == [
        .received(Array(ping.utf8)),
        .sent(Array(#"{"jsonrpc":"2.0","id":1,"result":{}}"#.utf8)),
      ])
  }

  @Test("nothing is written before the peer has shown its framing")
  func silentStart() async throws {
    let peer = try Peer(.test())
    peer.connection.notify("early", [:])
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    peer.send(Array("Content-Length: \(ping.utf8.count)\r\n\r\n\(ping)".utf8))
    #expect(try await peer.next()?["method"] == "early")
    #expect(try await peer.next()?["id"] == 1)
  }

  @Test("ping is answered while nobody takes messages (§3.2)")
  func ping() async throws {
    let peer = try Peer(
      .test {
        $0.immediateRequests["ping"] = { params, statistics in
          .result(["echo": params["echo"] ?? .null, "inFlight": JSONValue(statistics.inFlight)])
        }
      })
    for id in 0..<3 { peer.request(id, "slow") }
    peer.request(9, "ping", ["echo": "x"])
    #expect(try await peer.next()?["result"] == ["echo": "x", "inFlight": 3])
  }

  @Test("the 65th unanswered request is refused by the reader, the others are not touched (§8)")
  func overloaded() async throws {
    let peer = try Peer(.test())
    for id in 0..<66 { peer.request(id, "x") }
    let refused = try await peer.untilPong()
    #expect(refused.map { $0["id"] } == [64, 65])
    #expect(refused.map { $0[pointer: "/error/code"] } == [-32005, -32005])
    #expect(refused.first?[pointer: "/error/data/retryable"] == true)
    #expect(refused.first?[pointer: "/error/data/retryAfterMs"] == 250)
    #expect(await peer.connection.next() == .request(id: .number(0), method: "x", params: [:]))
    peer.connection.respond(.number(0), [:])
    #expect(try await peer.next()?["id"] == 0)
    peer.request(70, "x")
    #expect(try await peer.untilPong() == [])
    #expect(peer.connection.statistics.inFlight == 64)
  }

  @Test("more than 8 MiB waiting is refused; notifications are dropped, except those kept")
  func waitingBytes() async throws {
    let peer = try Peer(.test { $0.keptNotifications = ["exit"] })
    let text = JSONValue.string(String(repeating: "a", count: 250_000))
    for id in 0..<12 { peer.request(id, "x", ["a": text, "b": text, "c": text, "d": text]) }
    peer.send(#"{"jsonrpc":"2.0","method":"other","params":{"t":\#(text.text())}}"#)
    for _ in 0..<3 {
      peer.send(#"{"jsonrpc":"2.0","method":"other","params":{"t":\#(text.text())}}"#)
    }
    peer.send(#"{"jsonrpc":"2.0","method":"exit","params":{"t":\#(text.text())}}"#)
    let refused = try await peer.untilPong()
    #expect(refused.map { $0["id"] } == [8, 9, 10, 11])
    var methods: [String] = []
    while peer.connection.statistics.inFlight > 0 || methods.isEmpty {
      switch await peer.connection.next() {
      case .request(let id, let method, _):
        methods.append(method)
        peer.connection.respond(id, [:])
      default: Issue.record("not a request")
      }
    }
    #expect(methods.count == 8)
    #expect(await peer.connection.next() == .notification(method: "other", params: ["t": text]))
    #expect(await peer.connection.next() == .notification(method: "exit", params: [:]))
    #expect(peer.connection.statistics.ignoredNotifications == 3)
  }

  @Test(
    "while many answers wait to be read no further request is handed out, so a slow peer is not stuck"
  )
  func congestion() async throws {
    let peer = try Peer(
      reading: false,
      .test {
        $0.congestionBytes = 50_000
        $0.maximumControlBytes = 300_000
        // How long nobody reads depends on how busy the machine is, and is not what is tested.
        $0.stuckAfter = .seconds(3600)
      })
    let answered = Record(0)
    let consumer = Task.detached {
      while case .request(let id, _, _) = await peer.connection.next() {
        peer.connection.respond(id, ["t": .string(String(repeating: "a", count: 10_000))])
        answered.change { $0 += 1 }
      }
    }
    for id in 0..<60 { peer.request(id, "x") }
    peer.closeInput()
    var turns = 0
    while answered.value < 60, turns < 2_000 {
      turns += 1
      await Task.yield()
    }
    try peer.startReading()
    await consumer.value
    #expect(await peer.connection.flush())
    peer.connection.close()
    #expect(try await peer.rest().count == 60)
  }

  @Test(
    "a cancel is seen at once; a request nobody took is withdrawn and keeps its turn (O2, O7, FB-C15)"
  )
  func cancelling() async throws {
    let peer = try Peer(
      .test {
        $0.immediateNotifications["$/cancelRequest"] = { params, connection in
          guard let id = params["id"].flatMap(RequestID.init) else { return }
          connection.withdraw(id)
        }
      })
    for (id, method) in [(1, "a"), (2, "b"), (3, "c")] { peer.request(id, method) }
    for id in [2, 2, 77] {
      peer.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
    }
    #expect(try await peer.untilPong() == [])
    #expect(await peer.connection.next() == .request(id: .number(1), method: "a", params: [:]))
    #expect(!peer.connection.withdraw(.number(1)))
    #expect(await peer.connection.next() == .withdrawn(id: .number(2)))
    #expect(await peer.connection.next() == .request(id: .number(3), method: "c", params: [:]))
    #expect(peer.connection.statistics.inFlight == 3)
  }

  @Test("a request is answered once, however often somebody tries (§2)")
  func oneAnswer() async throws {
    let notes = Record<[RPCNote]>([])
    let peer = try Peer(.test { $0.note = { note in notes.change { $0.append(note) } } })
    peer.request(1, "a")
    _ = await peer.connection.next()
    peer.connection.respond(.number(1), [:])
    peer.connection.fail(.number(1), RPCErrorObject(code: 1, message: "late"))
    peer.connection.respond(.number(5), [:])
    #expect(try await peer.untilPong().count == 1)
    #expect(notes.value == [.answeredTwice(.number(1)), .answeredTwice(.number(5))])
  }

  // MARK: Our own requests

  @Test("answers to our requests come with the other messages, in order")
  func ownRequests() async throws {
    let peer = try Peer(.test())
    peer.send(#"{"jsonrpc":"2.0","method":"hello"}"#)
    _ = await peer.connection.next()
    let id = peer.connection.request("effects/perform", ["effect": "url.open"])
    #expect(id == .string("c-1"))
    #expect(
      try await peer.next()?.text()
        == #"{"jsonrpc":"2.0","id":"c-1","method":"effects/perform","params":{"effect":"url.open"}}"#
    )
    peer.request(1, "before")
    peer.send(#"{"jsonrpc":"2.0","id":"c-1","result":{"outcome":"opened"}}"#)
    peer.request(2, "after")
    peer.send(#"{"jsonrpc":"2.0","id":"c-1","result":{"outcome":"again"}}"#)
    #expect(await peer.connection.next() == .request(id: .number(1), method: "before", params: [:]))
    #expect(
      await peer.connection.next()
        == .response(id: .string("c-1"), result: ["outcome": "opened"], error: nil))
    #expect(await peer.connection.next() == .request(id: .number(2), method: "after", params: [:]))
    #expect(try await peer.untilPong() == [])
  }

  @Test(
    "who asks gets a result, an error, or that the answer was neither",
    arguments: [
      (#""result":{"a":1}"#, RPCAnswer.result(["a": 1])),
      (#""error":{"code":6002,"message":"no"}"#, .error(RPCErrorObject(code: 6002, message: "no"))),
      (#""result":null"#, .malformed), (#""result":5"#, .malformed), (#""error":"x""#, .malformed),
    ])
  func asking(member: String, expected: RPCAnswer) async throws {
    let peer = try Peer(.test { $0.framing = .lines })
    async let answer = peer.connection.ask("m", [:])
    let id = try await peer.next()?["id"]?.text() ?? ""
    peer.send(#"{"jsonrpc":"2.0","id":\#(id),\#(member)}"#)
    #expect(await answer == expected)
  }

  @Test("who asks is told when no answer can come any more")
  func askingInVain() async throws {
    let peer = try Peer(.test { $0.framing = .lines })
    async let answer = peer.connection.ask("m", [:])
    _ = try await peer.next()
    peer.closeInput()
    #expect(await answer == .connectionEnded)
    #expect(await peer.connection.ask("m", [:]) == .connectionEnded)
    #expect(peer.connection.request("m", [:]) == nil)
  }
}
