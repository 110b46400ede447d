import StrictJSON
import Testing

@testable import JSONRPC

@Suite("The two lanes (§8)")
struct OutboundLanesTests {
  private func message(_ name: String) -> EncodedMessage { EncodedMessage(notification: name, [:]) }

  private func name(_ entry: OutboundLanes.Entry?) -> String? {
    entry?.message.flatMap { try? JSONParser.parse($0.bytes)["method"]?.stringValue }
  }

  /// Everything that would be written at one moment, frames as `[a b]`.
  private func drain(_ lanes: inout OutboundLanes, at now: Duration) -> [String] {
    var written: [String] = []
    while true {
      switch lanes.step(now: now) {
      case .nothing:
        lanes.written(now: now)
        return written
      case .control(let entries): written += entries.compactMap(name)
      case .flush:
        let flush = lanes.takeFlush(now: now)
        written += flush.verdicts.compactMap(name)
        if !flush.subscriptions.isEmpty {
          written.append("[\(flush.subscriptions.joined(separator: " "))]")
        }
        written += flush.progress.compactMap {
          (try? JSONParser.parse($0.bytes))?[pointer: "/params/done"]?.intValue.map { "\($0)%" }
        }
        if let event = name(flush.event) { written.append(event) }
      }
    }
  }

  private func ms(_ value: Int) -> Duration { .milliseconds(value) }

  @Test("a change after silence goes at once, then at the subscription's pace, the last one always")
  func pacing() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.open(RPCSubscription(key: "a", maximumRate: 10))
    #expect(drain(&lanes, at: ms(0)) == ["[a]"])
    lanes.mark("a", urgently: false)
    lanes.mark("a", urgently: false)
    #expect(drain(&lanes, at: ms(99)) == [])
    guard case .nothing(let until) = lanes.step(now: ms(99)) else {
      Issue.record("nothing is due yet")
      return
    }
    #expect(until == ms(100))
    #expect(drain(&lanes, at: ms(100)) == ["[a]"])
    #expect(lanes.coalesced == 1)
    #expect(drain(&lanes, at: ms(1_000)) == [])
    lanes.mark("a", urgently: false)
    #expect(drain(&lanes, at: ms(1_001)) == ["[a]"])
  }

  @Test("at 30 Hz a change every millisecond for a second gives 31 frames at most")
  func rate() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.open(RPCSubscription(key: "a", maximumRate: 30))
    var frames = 0
    for time in 0...1_000 {
      lanes.mark("a", urgently: false)
      frames += drain(&lanes, at: ms(time)).count
    }
    #expect(frames <= 31)
    #expect(frames >= 28)
  }

  @Test("verdicts are written before any state, also those queued behind an event (W1)")
  func verdictsFirst() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.open(RPCSubscription(key: "a", maximumRate: 1))
    lanes.addVerdict(message("v1"), now: ms(0))
    lanes.addEvent(message("e1"), flushesState: true, now: ms(0))
    lanes.addVerdict(message("v2"), now: ms(0))
    #expect(drain(&lanes, at: ms(0)) == ["v1", "v2", "[a]", "e1"])
  }

  @Test("state is flushed before an event that needs it, whatever the pace (O5)")
  func flushBeforeEvent() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.open(RPCSubscription(key: "a", maximumRate: 1))
    lanes.open(RPCSubscription(key: "b", maximumRate: 1))
    _ = drain(&lanes, at: ms(0))
    lanes.mark("b", urgently: false)
    lanes.mark("a", urgently: false)
    lanes.addEvent(message("cancel"), flushesState: false, now: ms(1))
    lanes.addEvent(message("ended"), flushesState: true, now: ms(1))
    #expect(drain(&lanes, at: ms(1)) == ["cancel", "[a b]", "ended"])
  }

  @Test("events keep their order, and without state nothing overtakes (W2)")
  func order() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.addEvent(message("e1"), flushesState: true, now: ms(0))
    lanes.addVerdict(message("v1"), now: ms(0))
    lanes.addEvent(message("e2"), flushesState: false, now: ms(0))
    lanes.addVerdict(message("v2"), now: ms(0))
    #expect(drain(&lanes, at: ms(0)) == ["e1", "v1", "e2", "v2"])
  }

  @Test("after 32 control messages a due frame is written (W3)")
  func noStarvation() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.open(RPCSubscription(key: "a", maximumRate: 60))
    for number in 1...100 {
      lanes.addEvent(message("e\(number)"), flushesState: false, now: ms(0))
    }
    #expect(drain(&lanes, at: ms(0)).firstIndex(of: "[a]") == 32)
  }

  @Test("an urgent change ignores the pace and takes what is due into the same frame")
  func urgent() {
    var lanes = OutboundLanes(runLimit: 32)
    for key in ["a", "b", "c"] { lanes.open(RPCSubscription(key: key, maximumRate: 1)) }
    _ = drain(&lanes, at: ms(0))
    lanes.mark("a", urgently: true)
    lanes.mark("b", urgently: false)
    lanes.mark("c", urgently: true)
    #expect(drain(&lanes, at: ms(1)) == ["[a c]"])
    #expect(drain(&lanes, at: ms(1_000)) == ["[b]"])
  }

  @Test(
    "progress keeps the newest value per token, ten a second, never backwards, none after the end")
  func progress() {
    var lanes = OutboundLanes(runLimit: 32)
    func report(_ done: Int) {
      lanes.setProgress(
        "op", done: done, EncodedMessage(notification: "p", ["done": JSONValue(done)]))
    }
    report(1)
    #expect(drain(&lanes, at: ms(0)) == [])
    lanes.beginProgress("op")
    report(2)
    report(3)
    #expect(drain(&lanes, at: ms(0)) == ["3%"])
    report(2)
    report(5)
    report(4)
    #expect(drain(&lanes, at: ms(99)) == [])
    #expect(drain(&lanes, at: ms(100)) == ["5%"])
    report(6)
    lanes.endProgress("op")
    report(7)
    #expect(drain(&lanes, at: ms(1_000)) == [])
  }

  @Test("closed subscriptions are not served, unknown ones not marked")
  func closing() {
    var lanes = OutboundLanes(runLimit: 32)
    lanes.open(RPCSubscription(key: "a", maximumRate: 30))
    lanes.close("a")
    lanes.mark("a", urgently: true)
    lanes.mark("b", urgently: true)
    #expect(drain(&lanes, at: ms(0)) == [])
  }

  @Test("waiting bytes are counted until they are written, and since when they wait")
  func bytes() {
    var lanes = OutboundLanes(runLimit: 32)
    #expect(lanes.controlSince == nil)
    lanes.addVerdict(message("v"), now: ms(5))
    lanes.addEvent(message("w"), flushesState: false, now: ms(6))
    let size = message("v").bytes.count
    #expect(lanes.controlBytes == 2 * size)
    #expect(lanes.controlSince == ms(5))
    _ = lanes.step(now: ms(7))
    #expect(lanes.controlBytes == 2 * size)
    lanes.addVerdict(message("x"), now: ms(8))
    lanes.written(now: ms(9))
    #expect(lanes.controlBytes == size)
    #expect(lanes.controlSince == ms(9))
    _ = drain(&lanes, at: ms(10))
    #expect(lanes.controlBytes == 0)
    #expect(lanes.controlSince == nil)
  }
}
