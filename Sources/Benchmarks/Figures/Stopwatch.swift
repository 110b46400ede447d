import Foundation

/// The machine's clocks, which nothing but a measurement may read.
enum Stopwatch {
  /// How long something takes, in milliseconds.
  static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    return start.duration(to: .now) / .milliseconds(1)
  }

  /// How long something takes that waits for others, in milliseconds.
  static func milliseconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return start.duration(to: .now) / .milliseconds(1)
  }

  /// Seconds of processor time the calling thread has used so far.
  static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// Seconds of processor time this process has used so far, all threads.
  static var processSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
