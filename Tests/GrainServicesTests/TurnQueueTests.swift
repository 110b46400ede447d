import GrainTestSupport
import Testing

@testable import GrainServices

@Suite("One at a time")
struct TurnQueueTests {
  @Test("turns are taken in the order they were asked for, and never two at once")
  func order() async {
    let turns = TurnQueue()
    let record = Recorder<Int>()
    let gate = Gate()
    let first = Task { await turns.run { await gate.pass() } }
    await gate.arrivals(atLeast: 1)
    var others: [Task<Void, Never>] = []
    for number in 1...5 {
      others.append(Task { await turns.run { record.record(number) } })
      await turns.waiting(atLeast: number)
    }
    #expect(record.values == [])
    gate.open()
    await first.value
    for other in others { await other.value }
    #expect(record.values == [1, 2, 3, 4, 5])
  }

  @Test("work that fails passes its turn on")
  func failing() async {
    struct Broken: Error {}
    let turns = TurnQueue()
    await #expect(throws: Broken.self) { try await turns.run { throw Broken() } }
    #expect(await turns.run { 7 } == 7)
  }

  @Test("a caller that is cancelled while it waits gives up at once and leaves the others in order")
  func cancelled() async {
    let turns = TurnQueue()
    #expect(await turns.take())
    let quitter = Task { await turns.take() }
    await turns.waiting(atLeast: 1)
    let other = Task { await turns.take() }
    await turns.waiting(atLeast: 2)
    quitter.cancel()
    #expect(await quitter.value == false)
    turns.pass()
    #expect(await other.value)
    turns.pass()
    #expect(await turns.take())
  }

  @Test("a caller that was cancelled before it asked gets no turn")
  func cancelledBefore() async {
    let turns = TurnQueue()
    let gate = Gate()
    let late = Task {
      await gate.pass()
      return await turns.take()
    }
    late.cancel()
    gate.open()
    #expect(await late.value == false)
    #expect(await turns.take())
  }
}

extension TurnQueue {
  /// Returns once that many callers wait.
  fileprivate func waiting(atLeast count: Int) async {
    while waitingCount < count { await Task.yield() }
  }
}
