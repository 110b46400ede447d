import ATOAuth
import Foundation
import HTTPTransport
import Testing

@Suite("The rest between failed refreshes")
struct RefreshPauseTests {
  private let start = Date(timeIntervalSince1970: 1000)

  @Test("the first attempt is made at once, each later one after a longer rest (FB-A4, FB-A6)")
  func growing() {
    var pause = RefreshPause()
    #expect(pause.step(at: start) == .attempt)
    var rests: [RefreshPause.Step] = []
    for _ in 0..<7 {
      pause.failed(.network(.timeout), retryAfter: nil, at: start)
      rests.append(pause.step(at: start))
    }
    #expect(
      rests
        == [
          .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(8),
          .seconds(8),
        ]
        .map { .sleep($0) })
  }

  @Test("a rest is up to a quarter shorter by chance, never one the server asked for (wire §14)")
  func chance() {
    var pause = RefreshPause()
    pause.failed(.network(.timeout), retryAfter: nil, chance: 1, at: start)
    #expect(pause.step(at: start) == .sleep(.milliseconds(375)))
    pause.failed(.network(.timeout), retryAfter: nil, chance: 0.5, at: start)
    #expect(pause.step(at: start) == .sleep(.milliseconds(875)))
    pause.failed(.network(.timeout), retryAfter: .seconds(5), chance: 1, at: start)
    #expect(pause.step(at: start) == .sleep(.seconds(5)))
  }

  @Test("time that has passed counts")
  func elapsed() {
    var pause = RefreshPause()
    pause.failed(.network(.timeout), retryAfter: nil, at: start)
    #expect(pause.step(at: start.addingTimeInterval(0.25)) == .sleep(.milliseconds(250)))
    #expect(pause.step(at: start.addingTimeInterval(0.5)) == .attempt)
  }

  @Test("a long time the server asks for is not waited out: attempts fail at once and say how long")
  func retryAfter() {
    var pause = RefreshPause()
    let reason = RefreshFailure.Reason.server(status: 429, error: nil, description: nil)
    pause.failed(reason, retryAfter: .seconds(60), at: start)
    #expect(pause.step(at: start) == .fail(reason, retryAfter: .seconds(60)))
    #expect(pause.step(at: start.addingTimeInterval(55)) == .sleep(.seconds(5)))
    #expect(pause.step(at: start.addingTimeInterval(60)) == .attempt)
    pause.failed(reason, retryAfter: .milliseconds(1), at: start)
    #expect(pause.step(at: start) == .sleep(.seconds(1)))
  }

  @Test("a clock that was set back does not stretch a pause by as much (A44)")
  func setBack() {
    var pause = RefreshPause()
    pause.failed(.network(.timeout), retryAfter: nil, at: start)
    #expect(pause.step(at: start.addingTimeInterval(-3600)) == .attempt)
    #expect(pause.step(at: start) == .sleep(.milliseconds(500)))
  }
}
