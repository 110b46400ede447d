/// The coarse state of a model: enough to render any phase the shell does not know.
///
/// Closed for all of version 1: a shell may switch over it without a default
/// (bridge-protocol §4.1).
package enum ModelStatus: String, Codable, CaseIterable, Sendable {
  /// Nothing is going on.
  case idle
  /// The core is at work.
  case busy
  /// The core waits for the person or for the shell.
  case waiting
  /// The last piece of work failed; `problem` says why.
  case failed
  /// The work this model is about has succeeded.
  case done
}
