import GrainServices
import GrainTestSupport
import SystemClients
import Testing

@Suite("The pause before a repeat")
struct BackoffTests {
  private static func backoff(_ unit: UInt8) -> Backoff {
    Backoff(
      clock: TestClock().clock,
      random: SystemRandom { [UInt8](repeating: unit, count: $0) })
  }

  @Test(
    "half a second, one, two: a quarter less to a quarter more", arguments: [0, 255] as [UInt8])
  func pauses(unit: UInt8) {
    let factor = unit == 0 ? 0.75 : 1.25
    let pauses = (1...3).map { Self.backoff(unit).pause(after: $0, retryAfter: nil) }
    for (pause, base) in zip(pauses, [0.5, 1, 2]) {
      #expect(abs(pause / .seconds(1) - base * factor) < 0.001)
    }
  }

  @Test("never shorter than the server asked for, never longer because of it")
  func retryAfter() {
    #expect(Self.backoff(255).pause(after: 1, retryAfter: .seconds(9)) == .seconds(9))
    #expect(
      Self.backoff(255).pause(after: 3, retryAfter: .seconds(1))
        == Self.backoff(255).pause(after: 3, retryAfter: nil))
  }

  @Test("only passing faults are worth repeating, and only when the pause is bearable")
  func worthRepeating() {
    let host = "pds.test"
    let passing: [CallFault] = [
      .remote(.offline), .remote(.unreachable(host: host)), .remote(.timeout(host: host)),
      .remote(.dropped(host: host)), .remote(.server(host: host, detail: nil)),
      .remote(.rateLimited(host: host, retryAfter: nil)),
      .remote(.rateLimited(host: host, retryAfter: .seconds(60))),
    ]
    let lasting: [CallFault] = [
      .remote(.tls(host: host)), .remote(.badResponse(host: host, detail: nil)),
      .remote(.rateLimited(host: host, retryAfter: .seconds(61))),
      .remote(.server(host: host, detail: nil, retryAfter: .seconds(90))),
      .sessionExpired(AccountsWorld.alice), .scopeMissing(AccountsWorld.alice, scope: "x"),
      .accountInactive("AccountTakedown"), .refused(status: 400, error: nil, message: nil),
      .store(.full), .cancelled,
    ]
    #expect(passing.allSatisfy(Backoff.isWorthRepeating))
    #expect(!lasting.contains(where: Backoff.isWorthRepeating))
  }

  @Test("a caller that gives up during the pause is told so at once")
  func cancelled() async {
    let clock = TestClock()
    let backoff = Backoff(clock: clock.clock, random: .live)
    let calls = Recorder<Void>()
    let work = Task {
      do throws(CallFault) {
        try await backoff.repeating { () async throws(CallFault) in
          calls.record(())
          throw .remote(.offline)
        }
        return CallFault?.none
      } catch {
        return error
      }
    }
    await clock.sleepers(atLeast: 1)
    work.cancel()
    #expect(await work.value == .cancelled)
    #expect(calls.values.count == 1)
  }
}
