// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// What it becomes.
package enum DraftKind: String, Codable, CaseIterable, Sendable {
  case gallery, story
}
