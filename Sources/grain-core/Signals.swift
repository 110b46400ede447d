@preconcurrency import Dispatch  // its sources are thread-safe, but not marked so
import Foundation

/// Signals as events: SIGTERM and SIGHUP always, SIGINT only for a person at a terminal
/// (bridge-protocol §3.3).
enum Signals {
  /// Waits until the process is told to stop, by Ctrl-C or by SIGTERM.
  static func untilTold() async {
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    let watch = SignalWatch([SIGTERM, SIGHUP, SIGINT]) { tell.yield(()) }
    for await _ in told { break }
    watch.end()
  }
}

/// Calls a closure for the first of some signals; the second ends the process at once.
final class SignalWatch: Sendable {
  private let sources: [any DispatchSourceSignal]

  init(_ signals: [Int32], _ first: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "signals")
    let seen = SeenSignal()
    sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if seen.isSecond() { _exit(128 + number) }
        first()
      }
      source.resume()
      return source
    }
  }

  func end() {
    for source in sources { source.cancel() }
  }
}

/// Remembers that a signal came; touched on the queue of the sources alone.
private final class SeenSignal: @unchecked Sendable {
  // Safe: every access is on the one serial queue the sources share.
  private var seen = false

  func isSecond() -> Bool {
    defer { seen = true }
    return seen
  }
}
