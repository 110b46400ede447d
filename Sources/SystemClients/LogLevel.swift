/// How much a log line matters; `fault` is a bug in the core (bridge protocol §11).
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
  case trace, debug, info, warn, error, fault

  /// `trace` is the least, `fault` the most.
  package static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .trace: 0
    case .debug: 1
    case .info: 2
    case .warn: 3
    case .error: 4
    case .fault: 5
    }
  }
}

/// The least level that is written, for all targets and for single ones; may change while running.
package final class LogThresholds: Sendable {
  private struct State {
    var general: LogLevel
    var byTarget: [String: LogLevel] = [:]
  }

  private let state: Locked<State>

  /// Every target starts at `level`.
  package init(_ level: LogLevel = .info) {
    state = Locked(State(general: level))
  }

  /// Sets the level of one target, or without a target of all of them, single settings included.
  package func set(_ level: LogLevel, target: String? = nil) {
    state.withLock { state in
      if let target {
        state.byTarget[target] = level
      } else {
        state = State(general: level)
      }
    }
  }

  /// Whether a line of that level and target is written.
  package func allow(_ level: LogLevel, target: String) -> Bool {
    state.withLock { level >= $0.byTarget[target] ?? $0.general }
  }
}
