import GrainTestSupport
import SystemClients
import Testing

@testable import GrainServices

@Suite("The wish to stop")
struct StopSignalTests {
  private let signal = StopSignal()
  private let clock = TestClock()

  /// Sleeps, and says whether it was cut off.
  private func nap() -> Task<Bool, Never> {
    let (signal, clock) = (signal, clock.clock)
    return Task {
      await signal.stoppable {
        do {
          try await clock.sleep(.seconds(60))
          return false
        } catch {
          return true
        }
      }
    }
  }

  @Test("work that is under way is cut off")
  func raised() async {
    let naps = [nap(), nap()]
    await clock.sleepers(atLeast: 2)
    #expect(!signal.isRaised)
    signal.raise()
    for nap in naps { #expect(await nap.value) }
    #expect(signal.isRaised)
  }

  @Test("work that begins later is cut off too")
  func late() async {
    signal.raise()
    #expect(await nap().value)
  }

  @Test("work that has ended is left alone")
  func ended() async {
    #expect(await signal.stoppable { 7 } == 7)
    signal.raise()
    signal.raise()
  }
}
