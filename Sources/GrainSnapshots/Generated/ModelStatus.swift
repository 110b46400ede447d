// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// Enough to render any phase the shell does not know: idle (nothing is going on), busy (the core
/// is at work), waiting (for the person or the shell), failed (problem says why), done (what this
/// model is about has succeeded); closed for all of version 1.
package enum ModelStatus: String, Codable, CaseIterable, Sendable {
  case idle, busy, waiting, failed, done
}
