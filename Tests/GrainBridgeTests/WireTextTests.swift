import GrainBridge
import GrainServices
import GrainTestSupport
import JSONRPC
import StrictJSON
import Testing

@Suite("Field reports about messages, as a whole", .timeLimit(.minutes(3)))
struct WireTextTests {
  private static let title = "é漢字👩🏽‍🚀e\u{301}"

  @Test("a title comes as it was typed, byte by byte and cut within every character (FB-C3)")
  func pieces() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    func message(_ id: Int) -> JSONValue {
      [
        "jsonrpc": "2.0", "id": JSONValue(id), "method": "gallery.setDetails",
        "params": ["draft": "d", "title": .string("\(Self.title)\(id)")],
      ]
    }
    let count = message(1_000).serialized().count
    for cut in 0...count {
      let message = message(1_000 + cut)
      let bytes = message.serialized() + [0x0A]
      let pieces = cut == 0 ? bytes.map { [$0] } : [Array(bytes[..<cut]), Array(bytes[cut...])]
      shell.send(message, in: pieces)
      let answer = try await shell.first { $0["id"] == JSONValue(1_000 + cut) }
      #expect(answer[pointer: "/result/accepted"] == true)
      #expect(shell.galleries.draft("d")?.title == "\(Self.title)\(1_000 + cut)")
    }
  }

  @Test(
    "a notification is never answered; one of the protocol takes effect, an intent does not (FB-C12)"
  )
  func notifications() async throws {
    let shell = try await Shell.begin()
    shell.notify("login.start")
    shell.notify("login.setHandle", ["handle": 7])
    shell.notify("no.such", ["a": 1])
    shell.notify("models/subscribe", ["subscription": "s", "model": "login"])
    shell.notify("gallery.discardDraft", ["draft": "none"])
    let state = try await shell.call("models/get", ["model": "login"])
    #expect(state[pointer: "/result/state/phase"] == "signedIn")
    shell.notify("exit")
    #expect(try await shell.rest() == [])
    #expect(await shell.reason == .stopped)
  }

  @Test(
    "no params, null and {} are alike; [], null members and unknown ones are refused by their place (FB-C13)"
  )
  func params() async throws {
    let shell = try await Shell.begin()
    for (params, field) in [
      ("", nil), (#","params":null"#, nil), (#","params":{}"#, nil), (#","params":[]"#, ""),
      (#","params":{"provider":null}"#, "/provider"), (#","params":{"colour":1}"#, "/colour"),
    ] as [(String, String?)] {
      shell.send(line: #"{"jsonrpc":"2.0","id":"a","method":"login.start"\#(params)}"#)
      let answer = try await shell.answer(to: "a")
      if let field {
        #expect(answer[pointer: "/error/code"] == -32602, "\(params)")
        #expect(answer[pointer: "/error/data/field"]?.stringValue ?? "" == field, "\(params)")
      } else {
        #expect(answer[pointer: "/result/accepted"] == true, "\(params)")
        _ = try await shell.call("login.cancel")
      }
    }
  }

  @Test(
    "whenever it is cancelled, a request has one answer: its result or the cancellation (FB-C15)")
  func cancelling() async throws {
    let opening = Turnstile()
    await opening.shut()
    let shell = try await Shell.connect { $0.opening = opening }
    func cancel(_ id: JSONValue) { shell.notify("$/cancelRequest", ["id": id]) }
    // Waits for the disk; the others wait behind it and have not begun.
    let slow = shell.request("initialize", .hello)
    await opening.arrivals()
    let waiting = shell.requests([("models/get", ["model": "login"]), ("login.start", [:])])
    for id in [slow, waiting[0], waiting[0], waiting[1], 999, "unheard of"] { cancel(id) }
    // Answered by the reader, behind all of these.
    _ = try await shell.call("ping")
    await opening.open()
    #expect(try await shell.answer(to: slow)["result"] != nil)
    for id in waiting {
      #expect(try await shell.answer(to: id)[pointer: "/error/data/kind"] == "request.cancelled")
    }
    let done = shell.request("login.start")
    // In the moment of its answer, and after it.
    cancel(done)
    let answer = try await shell.answer(to: done)
    #expect(answer["result"] != nil || answer[pointer: "/error/code"] == -32800)
    cancel(done)
    let last = try await shell.call("models/get", ["model": "login"])
    #expect(last["result"] != nil)
    #expect(try await shell.finish() == [])
  }
}
