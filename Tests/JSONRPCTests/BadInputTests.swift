import StrictJSON
import Testing

@testable import JSONRPC

@Suite("Bad input (§1)", .timeLimit(.minutes(1)))
struct BadInputTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let line: [UInt8]
    let id: JSONValue
    let code: Int
    let kind: String
    var testDescription: String { String(decoding: line.prefix(60), as: UTF8.self) }

    init(_ line: String, id: JSONValue = .null, _ code: Int, _ kind: String) {
      self.init(Array(line.utf8), id: id, code, kind)
    }

    init(_ line: [UInt8], id: JSONValue = .null, _ code: Int, _ kind: String) {
      (self.line, self.id, self.code, self.kind) = (line, id, code, kind)
    }
  }

  static let rows: [Row] = [
    Row("not json", -32700, "frame.invalidJson"),
    Row(#"{"jsonrpc":"2.0","id":1,"#, -32700, "frame.invalidJson"),
    Row([0xFF, 0xFE], -32700, "frame.invalidUtf8"),
    Row(#"{"jsonrpc":"2.0","id":1,"method":"x"}{}"#, -32700, "frame.invalidJson"),
    Row(#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, -32700, "frame.invalidJson"),
    Row(#"{"jsonrpc":"2.0","id":NaN,"method":"x"}"#, -32700, "frame.invalidJson"),
    Row(String(repeating: "[", count: 5_000), -32600, "frame.tooDeep"),
    Row(
      #"{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}"#, -32600, "frame.duplicateKey"),
    Row(
      #"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":{"y":1,"y":2}}}"#, -32600,
      "frame.duplicateKey"),
    Row(#""x""#, -32600, "rpc.notAnObject"),
    Row("42", -32600, "rpc.notAnObject"),
    Row("null", -32600, "rpc.notAnObject"),
    Row("[]", -32600, "rpc.batch"),
    Row(#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, "rpc.batch"),
    Row(#"{"id":99}"#, id: 99, -32600, "rpc.invalidRequest"),
    Row(#"{"jsonrpc":"1.0","id":7,"method":"x"}"#, id: 7, -32600, "rpc.invalidRequest"),
    Row(#"{"id":7,"method":"x"}"#, id: 7, -32600, "rpc.invalidRequest"),
    Row(#"{"jsonrpc":"2.0","id":8,"method":5}"#, id: 8, -32600, "rpc.invalidRequest"),
    Row(#"{"jsonrpc":"2.0","id":"a"}"#, id: "a", -32600, "rpc.invalidRequest"),
    Row(#"{"jsonrpc":"2.0"}"#, -32600, "rpc.invalidRequest"),
    Row(#"{"jsonrpc":"2.0","result":{}}"#, -32600, "rpc.invalidRequest"),
    Row(#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, -32600, "rpc.badId"),
    Row(#"{"jsonrpc":"2.0","id":-1,"method":"x"}"#, -32600, "rpc.badId"),
    Row(#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, -32600, "rpc.badId"),
    Row(#"{"jsonrpc":"2.0","id":1.0,"method":"x"}"#, -32600, "rpc.badId"),
    Row(#"{"jsonrpc":"2.0","id":9007199254740992,"method":"x"}"#, -32600, "rpc.badId"),
    Row(#"{"jsonrpc":"2.0","id":true,"method":"x"}"#, -32600, "rpc.badId"),
    Row(
      #"{"jsonrpc":"2.0","id":"\#(String(repeating: "é", count: 33))","method":"x"}"#, -32600,
      "rpc.badId"),
    Row(
      #"{"jsonrpc":"2.0","id":9,"method":"x","params":"str"}"#, id: 9, -32602, "rpc.invalidParams"),
    Row(#"{"jsonrpc":"2.0","id":9,"method":"x","params":[]}"#, id: 9, -32602, "rpc.invalidParams"),
  ]

  @Test("each kind gets one error, and the session goes on (FB-C4, FB-C5, FB-C19)", arguments: rows)
  func table(row: Row) async throws {
    let peer = try Peer(.test())
    peer.send(row.line + [0x0A])
    let answers = try await peer.untilPong()
    #expect(answers.count == 1)
    let error = answers.first?["error"]
    #expect(answers.first?["id"] == row.id)
    #expect(error?["code"]?.intValue == row.code)
    #expect(error?[pointer: "/data/kind"]?.stringValue == row.kind)
    #expect(error?[pointer: "/data/retryable"] == false)
    #expect(error?[pointer: "/data/message/key"]?.stringValue == row.kind)
  }

  @Test("a line over the limit is refused and the next request served (FB-C8)")
  func tooLarge() async throws {
    let peer = try Peer(.test())
    peer.send(Array(#"{"text":""#.utf8) + [UInt8](repeating: 0x61, count: 5_000_000) + [0x0A])
    let answers = try await peer.untilPong()
    #expect(answers.map { $0[pointer: "/error/data/kind"] } == ["frame.tooLarge"])
    #expect(answers.first?["id"] == .null)
  }

  @Test("an over-long text is refused by its place, with the request's id (§8)")
  func longString() async throws {
    let peer = try Peer(.test())
    let text = String(repeating: "a", count: 262_145)
    peer.request(5, "x", ["list": [1, ["text": .string(text)]]])
    peer.request(6, "x", ["many": .array(Array(repeating: 1, count: 10_001))])
    peer.request(7, "x", ["list": [1, ["text/code=": ["a": .string(text)]]]])
    let answers = try await peer.untilPong()
    #expect(answers.map { $0["id"] } == [5, 6, 7])
    #expect(answers.map { $0[pointer: "/error/code"] } == [-32602, -32602, -32602])
    // A name that may be no name is left out, with all that is below it.
    #expect(
      answers.map { $0[pointer: "/error/data/field"] } == ["/list/1/text", "/many", "/list/1"])
  }

  @Test("200 kB in one request arrives whole (FB-C8)")
  func longRequest() async throws {
    let peer = try Peer(.test())
    let text = String(repeating: "é漢😀", count: 22_000)
    peer.request(5, "x", ["text": .string(text)])
    #expect(
      await peer.connection.next()
        == .request(id: .number(5), method: "x", params: ["text": .string(text)]))
  }

  @Test(
    "the answer repeats the id with type and value (FB-C11)",
    arguments: ["0", "1", #""1""#, #""""#, #""äö""#, "9007199254740991"])
  func ids(id: String) async throws {
    let peer = try Peer(.test())
    peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"x"}"#)
    guard case .request(let request, _, _) = await peer.connection.next() else {
      Issue.record("no request")
      return
    }
    peer.connection.respond(request, ["ok": true])
    #expect(try await peer.next()?.text() == #"{"jsonrpc":"2.0","id":\#(id),"result":{"ok":true}}"#)
  }

  @Test(
    "null, missing and empty params are all no parameters (FB-C13)",
    arguments: [#","params":null"#, "", #","params":{}"#])
  func noParams(params: String) async throws {
    let peer = try Peer(.test())
    peer.send(#"{"jsonrpc":"2.0","id":1,"method":"x"\#(params)}"#)
    #expect(
      await peer.connection.next() == .request(id: .number(1), method: "x", params: [:]))
  }

  @Test("notifications are never answered, fit or unfit (FB-C12)")
  func notifications() async throws {
    let peer = try Peer(.test())
    peer.send(#"{"jsonrpc":"2.0","method":"x"}"#)
    peer.send(#"{"jsonrpc":"2.0","method":"x","params":[1]}"#)
    let text = String(repeating: "a", count: 262_145)
    peer.send(#"{"jsonrpc":"2.0","method":"x","params":{"t":"\#(text)"}}"#)
    #expect(try await peer.untilPong() == [])
    #expect(await peer.connection.next() == .notification(method: "x", params: [:]))
    #expect(peer.connection.statistics.ignoredNotifications == 2)
  }

  @Test(
    "an error without id about a message of ours is not answered, or two peers would never stop")
  func anonymousError() async throws {
    let peer = try Peer(.test())
    peer.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#)
    #expect(try await peer.untilPong() == [])
  }

  @Test("a response nobody waits for is noted and ignored")
  func unknownResponse() async throws {
    let notes = Record<[RPCNote]>([])
    let peer = try Peer(.test { $0.note = { note in notes.change { $0.append(note) } } })
    peer.send(#"{"jsonrpc":"2.0","id":"c-7","result":{}}"#)
    #expect(try await peer.untilPong() == [])
    #expect(notes.value == [.unknownResponse(.string("c-7"))])
  }

  @Test("an id in flight is refused without touching the first request")
  func duplicateID() async throws {
    let peer = try Peer(.test())
    peer.request(1, "a")
    peer.request(1, "b")
    peer.send(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
    peer.send(#"{"jsonrpc":"1.0","id":1,"method":"c"}"#)
    let refusals = try await peer.untilPong()
    #expect(refusals.map { $0["id"] } == [.null, .null, .null])
    #expect(
      refusals.map { $0[pointer: "/error/data/kind"]?.stringValue }
        == Array(repeating: "rpc.duplicateId", count: 3))
    #expect(refusals.first?[pointer: "/error/data/details/requestId"] == 1)
    #expect(await peer.connection.next() == .request(id: .number(1), method: "a", params: [:]))
    peer.connection.respond(.number(1), [:])
    #expect(try await peer.next()?["result"] == [:])
    peer.request(1, "d")
    #expect(await peer.connection.next() == .request(id: .number(1), method: "d", params: [:]))
  }
}
