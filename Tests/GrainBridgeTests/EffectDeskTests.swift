import Foundation
import GrainTestSupport
import JSONRPC
import StrictJSON
import SystemClients
import Testing

@testable import GrainBridge

@Suite("The desk for effects (§6)", .timeLimit(.minutes(3)))
@MainActor
struct EffectDeskTests {
  private let connection: RPCConnection
  private let output: FileHandle
  private let input: FileHandle
  private let desk: EffectDesk

  init() throws {
    let toBridge = Pipe()
    let fromBridge = Pipe()
    var configuration = RPCConfiguration()
    configuration.framing = .lines
    connection = try RPCConnection.start(
      input: dup(toBridge.fileHandleForReading.fileDescriptor),
      output: dup(fromBridge.fileHandleForWriting.fileDescriptor), configuration: configuration)
    output = toBridge.fileHandleForWriting
    input = fromBridge.fileHandleForReading
    desk = EffectDesk(connection: connection, clock: .live)
  }

  private func order(_ effect: String) -> EffectDesk.Order {
    EffectDesk.Order(effect: effect, params: ["effect": .string(effect)])
  }

  private func ask(_ effect: String) -> Task<RPCAnswer?, Never> {
    let order = order(effect)
    return Task { await desk.perform(order) }
  }

  private func turns() async {
    for _ in 0..<50 { await Task.yield() }
  }

  @Test("sixteen effects may be open; the next waits for room")
  func sixteen() async throws {
    let asked = (0..<18).map { _ in ask("url.open") }
    await turns()
    #expect(desk.pending.map(\.id) == (1...16).map { .string("c-\($0)") })
    desk.answered(.string("c-3"), .result(["outcome": "opened"]))
    #expect(await asked[2].value == .result(["outcome": "opened"]))
    #expect(desk.pending.last?.id == .string("c-17"))
    desk.close()
    for task in asked { _ = await task.value }
    #expect(desk.pending.isEmpty)
    connection.close()
  }

  @Test("a modal effect waits for the modal one before it, and holds up no other")
  func modal() async throws {
    let first = ask("auth.present")
    await turns()
    let second = ask("keyring.unlock")
    await turns()
    let third = ask("url.open")
    await turns()
    #expect(desk.pending.map { $0.params["effect"] } == ["auth.present", "url.open"])
    desk.answered(.string("c-1"), .result(["outcome": "presented"]))
    #expect(await first.value == .result(["outcome": "presented"]))
    #expect(desk.pending.map { $0.params["effect"] } == ["keyring.unlock", "url.open"])
    desk.close()
    #expect(await second.value == .result(["outcome": "dismissed"]))
    #expect(await third.value == .result(["outcome": "dismissed"]))
    connection.close()
  }

  @Test("what could not be asked for in its time is not asked for at all (FB-A25)")
  func overdue() async throws {
    let clock = TestClock()
    let desk = EffectDesk(connection: connection, clock: clock.clock)
    var late = order("auth.present")
    late.goodUntil = clock.now.addingTimeInterval(2)
    let first = Task { await desk.perform(order("auth.present")) }
    await turns()
    let second = Task { [late] in await desk.perform(late) }
    await turns()
    clock.set(clock.now.addingTimeInterval(2))
    desk.answered(.string("c-1"), .result(["outcome": "presented"]))
    #expect(await first.value == .result(["outcome": "presented"]))
    #expect(await second.value == nil)
    #expect(desk.pending.isEmpty)
    connection.close()
  }

  @Test("a reloaded window is not told of what has become useless; it is taken back (FB-A25)")
  func reloaded() async throws {
    let clock = TestClock()
    let desk = EffectDesk(connection: connection, clock: clock.clock)
    var page = order("auth.present")
    page.goodUntil = clock.now.addingTimeInterval(2)
    let asked = Task { [page] in await desk.perform(page) }
    await turns()
    desk.dropOverdue()
    #expect(desk.pending.map(\.id) == [.string("c-1")])
    clock.set(clock.now.addingTimeInterval(2))
    desk.dropOverdue()
    #expect(await asked.value == nil)
    #expect(desk.pending.isEmpty)
    // Until the shell has closed it, no other page is shown.
    let fresh = Task { await desk.perform(order("auth.present")) }
    await turns()
    #expect(desk.pending.isEmpty)
    desk.answered(.string("c-1"), .result(["outcome": "dismissed"]))
    #expect(desk.pending.map(\.id) == [.string("c-2")])
    desk.close()
    _ = await fresh.value
    connection.close()
  }

  @Test("what is not asked for yet is taken back without a word")
  func unasked() async throws {
    desk.mayAsk = { false }
    let asked = ask("url.open")
    await turns()
    asked.cancel()
    #expect(await asked.value == .result(["outcome": "dismissed"]))
    desk.mayAsk = { true }
    desk.go()
    #expect(desk.pending.isEmpty)
    connection.close()
  }

  @Test("when no answer can come any more, nobody is asked")
  func ended() async {
    connection.close()
    #expect(await desk.perform(order("url.open")) == .connectionEnded)
  }
}
