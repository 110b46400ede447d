import GrainSnapshots

/// The page on show during one sign-in, and what went wrong with showing it.
@MainActor
final class Presenting {
  var task: Task<Void, Never>?
  /// The address the shell has not answered for yet.
  var open: String?
  var problem: Problem?

  func withdraw() { task?.cancel() }
}
