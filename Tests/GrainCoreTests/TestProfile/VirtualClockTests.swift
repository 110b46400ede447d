import Foundation
import GrainCore
import SystemClients
import Testing

@Suite("The clock of the test profile")
struct VirtualClockTests {
  @Test("it stands still until it is told to go, and begins where every run begins")
  func standing() async {
    let clock = VirtualClock()
    #expect(clock.now == VirtualClock.beginning)
    await clock.advance(by: .milliseconds(1_500))
    #expect(clock.now == VirtualClock.beginning + 1.5)
    #expect(VirtualClock(elapsed: clock.elapsed).now == clock.now)
  }

  @Test("whoever sleeps goes on at the moment meant, one after the other")
  func sleepers() async throws {
    let clock = VirtualClock()
    let woken = Locked<[Double]>([])
    let tasks = [3.0, 1, 2].map { seconds in
      Task {
        try await clock.clock.sleep(.seconds(seconds))
        woken.withLock { $0.append(clock.now.timeIntervalSince(VirtualClock.beginning)) }
      }
    }
    // The tasks lie down in their own time; advancing by nothing lets them.
    for _ in 0..<20 { await clock.advance(by: .zero) }
    await clock.advance(by: .seconds(2.5))
    for _ in 0..<20 { await clock.advance(by: .zero) }
    #expect(woken.withLock(\.self).count == 2)
    await clock.advance(by: .seconds(1))
    for task in tasks { try await task.value }
    #expect(woken.withLock(\.self).sorted().count == 3)
  }

  @Test("a sleep can be cancelled before, while and after it is slept")
  func cancelling() async throws {
    let clock = VirtualClock()
    for round in 0..<100 {
      let task = Task { try await clock.clock.sleep(.seconds(1)) }
      if round % 2 == 0 { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try await clock.clock.sleep(.zero)
    await clock.advance(by: .seconds(5))
    #expect(clock.elapsed == .seconds(5))
  }
}
