import Dispatch

/// Keeps the main actor busy, as a model would that does not come to an end.
struct BusyMainActor {
  private let end = DispatchSemaphore(value: 0)
  private let busy: Task<Void, Never>

  /// Returns once nothing else of the main actor runs.
  init() async {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    busy = Task { @MainActor [end] in
      begin.yield()
      Self.wait(end)
    }
    for await _ in begun { break }
  }

  /// Lets go of it.
  func free() async {
    end.signal()
    await busy.value
  }

  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
}
