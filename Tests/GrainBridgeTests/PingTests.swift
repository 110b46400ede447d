import GrainTestSupport
import StrictJSON
import Testing

@Suite("ping (§3.2)", .timeLimit(.minutes(3)))
struct PingTests {
  @Test("is answered while the models are busy, and says so")
  func busy() async throws {
    let shell = try await Shell.begin()
    let busy = await BusyMainActor()
    let get = shell.request("models/get", ["model": "login"])
    var pong = try await shell.call("ping")["result"]
    while pong?["oldestPendingMs"] == 0 { pong = try await shell.call("ping")["result"] }
    #expect(pong?["inFlight"] == 1)
    await busy.free()
    #expect(try await shell.answer(to: get)["result"] != nil)
    #expect(try await shell.call("ping")[pointer: "/result/inFlight"] == 0)
  }

  @Test("counts what was ignored, what is subscribed to, and what was coalesced")
  func counts() async throws {
    let shell = try await Shell.begin()
    shell.notify("hello/world")
    shell.notify("$/unknown")
    shell.notify("$/setTrace", ["value": "off"])
    try await shell.subscribe("a", to: "login")
    try await shell.subscribe("b", to: "login")
    let pong = try await shell.call("ping")["result"]
    #expect(pong?["ignoredNotifications"] == 1)
    #expect(pong?["subscriptions"] == 2)
    #expect(pong?["coalesced"] == 0)
  }

  @Test("takes no parameters")
  func parameters() async throws {
    let shell = try await Shell.connect()
    let refusal = try await shell.call("ping", ["echo": 1])
    #expect(refusal[pointer: "/error/code"] == -32602)
    #expect(refusal[pointer: "/error/data/field"] == "/echo")
  }
}
