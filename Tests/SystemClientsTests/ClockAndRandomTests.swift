import Foundation
import GrainTestSupport
import SystemClients
import Testing

@Suite("The machine's clock and randomness")
struct ClockAndRandomTests {
  @Test("a sleep ends at once when its task is cancelled")
  func cancelledSleep() async {
    let task = Task { try await SystemClock.live.sleep(.seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("the live clock tells the time of day")
  func liveTime() {
    #expect(abs(SystemClock.live.now().timeIntervalSinceNow) < 5)
  }

  @Test("live randomness has the length asked for and does not repeat")
  func liveRandomness() {
    #expect(SystemRandom.live.bytes(0) == [])
    #expect(SystemRandom.live.bytes(13).count == 13)
    #expect(SystemRandom.live.bytes(32) != SystemRandom.live.bytes(32))
  }

  @Test("no run of a seed draws what another run has drawn")
  func runs() {
    var drawn: Set<[UInt8]> = []
    for run in 0..<20 {
      let random = SystemRandom.seeded(7, run: UInt64(run))
      for _ in 0..<200 { drawn.insert(random.bytes(8)) }
    }
    #expect(drawn.count == 20 * 200)
    #expect(SystemRandom.seeded(7, run: 0).bytes(8) == SystemRandom.seeded(7).bytes(8))
    #expect(SystemRandom.seeded(7, run: 3).bytes(8) == SystemRandom.seeded(7, run: 3).bytes(8))
  }

  @Test("the same seed gives the same bytes, another seed others")
  func seeded() {
    let one = SystemRandom.seeded(7)
    let same = SystemRandom.seeded(7)
    let first = one.bytes(20)
    #expect(first == same.bytes(20))
    #expect(one.bytes(20) != first)
    #expect(SystemRandom.seeded(8).bytes(20) != first)
  }

  @Test("choices stay below their bound and reach every value of it")
  func integers() {
    let random = SystemRandom.seeded(1)
    let choices = (0..<1000).map { _ in random.integer(below: 7) }
    #expect(Set(choices) == Set(0..<7))
    #expect(random.integer(below: 1) == 0)
  }

  @Test("a word past the last whole multiple of the bound is thrown away")
  func unbiased() {
    let calls = Recorder<Int>()
    let random = SystemRandom { count in
      calls.record(count)
      return calls.values.count == 1 ? [UInt8](repeating: 255, count: 8) : [0, 0, 0, 0, 0, 0, 0, 9]
    }
    #expect(random.integer(below: 10) == 9)
  }

  @Test("fractions lie between nothing and one")
  func fractions() {
    let random = SystemRandom.seeded(3)
    let fractions = (0..<1000).map { _ in random.unit() }
    #expect(fractions.allSatisfy { (0..<1).contains($0) })
    #expect(fractions.contains { $0 < 0.1 } && fractions.contains { $0 > 0.9 })
  }
}

@Suite("The clock of the tests")
struct TestClockTests {
  @Test("sleepers wake in the order of their time, and see that time")
  func order() async {
    let test = TestClock()
    let start = test.now
    let woken = Recorder<Double>()
    await withDiscardingTaskGroup { group in
      for seconds in [3, 1, 2] {
        group.addTask {
          try? await test.clock.sleep(.seconds(seconds))  // Nobody cancels here.
          woken.record(test.now.timeIntervalSince(start))
        }
      }
      await test.sleepers(atLeast: 3)
      await test.advance(by: .seconds(10))
    }
    #expect(woken.values == [1, 2, 3])
    #expect(test.now.timeIntervalSince(start) == 10)
  }

  @Test("a task that falls asleep again within the advance is woken again")
  func chain() async throws {
    let test = TestClock()
    let start = test.now
    let task = Task {
      var wakings: [Double] = []
      while wakings.count < 5 {
        try await test.clock.sleep(.seconds(1))
        wakings.append(test.now.timeIntervalSince(start))
      }
      return wakings
    }
    await test.sleepers(atLeast: 1)
    await test.advance(by: .seconds(5))
    #expect(try await task.value == [1, 2, 3, 4, 5])
  }

  @Test("a sleeper that is not due sleeps on until it is cancelled")
  func cancelled() async {
    let test = TestClock()
    let task = Task { try await test.clock.sleep(.seconds(2)) }
    await test.sleepers(atLeast: 1)
    await test.advance(by: .seconds(1))
    #expect(test.sleeperCount == 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(test.sleeperCount == 0)
  }
}
