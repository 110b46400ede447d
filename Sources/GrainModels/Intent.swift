package import GrainSnapshots

/// What an accepted intent answers (bridge-protocol §5).
package struct Accepted: Equatable, Sendable {
  /// The work that goes on, if any.
  package var operation: String?
  /// An equal operation was running already; nothing new was started.
  package var joined: Bool
  /// Members only this intent has, such as `draft`.
  package var values: [String: PlainValue]

  /// A verdict; by default one that is done at once.
  package init(
    operation: String? = nil, joined: Bool = false, values: [String: PlainValue] = [:]
  ) {
    self.operation = operation
    self.joined = joined
    self.values = values
  }
}

/// Why an intent was refused; the state is as it was.
package struct IntentRejection: Error, Equatable, Sendable {
  /// What the person or the shell did wrong, or why it is not the time.
  package let problem: Problem

  /// A refusal in the registry's words.
  package init(_ problem: Problem) {
    self.problem = problem
  }

  /// The intent is not in the model's `can`.
  package static func notAvailable(_ intent: IntentName, phase: String) -> IntentRejection {
    IntentRejection(
      Problem(
        .intentNotAvailable,
        details: ["intent": .text(intent.rawValue), "phase": .text(phase)]))
  }

  /// A parameter does not fit.
  package static func invalid(_ pointer: String) -> IntentRejection {
    IntentRejection(Problem(.rpcInvalidParams, field: pointer))
  }
}
