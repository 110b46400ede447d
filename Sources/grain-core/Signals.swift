@preconcurrency import Dispatch  // its sources are thread-safe, but not marked so
import Foundation

/// Signals as events: SIGTERM and SIGHUP always, SIGINT only for a person at a terminal
/// (bridge-protocol §3.3).
enum Signals {
  /// Waits until the process is told to stop, by Ctrl-C or by SIGTERM. `ready` runs once such a word would be
  /// heard: whoever reads what it prints may say it at once.
  static func untilTold(ready: () -> Void) async {
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    let (watched, nowWatched) = AsyncStream.makeStream(of: Void.self)
    let watch = SignalWatch(
      [SIGTERM, SIGHUP, SIGINT], watching: { nowWatched.finish() }, { tell.yield(()) })
    for await _ in watched {}
    ready()
    for await _ in told { break }
    watch.end()
  }
}

/// Calls a closure for the first of some signals; the second ends the process at once.
final class SignalWatch: Sendable {
  private let sources: [any DispatchSourceSignal]

  /// `watching` is called once all of the signals would be heard.
  init(
    _ signals: [Int32], watching: @escaping @Sendable () -> Void = {},
    _ first: @escaping @Sendable () -> Void
  ) {
    let queue = DispatchQueue(label: "signals")
    let seen = SeenSignal()
    let registered = DispatchGroup()
    for _ in signals { registered.enter() }
    registered.notify(queue: queue, execute: watching)
    sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if seen.isSecond() { _exit(128 + number) }
        first()
      }
      source.setRegistrationHandler { registered.leave() }
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
