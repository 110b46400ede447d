// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// How far it has come: waiting (not looked at yet), preparing (being read, measured, stripped and
/// resized), ready (its publishable copy is on disk), uploading, uploaded (the server has it),
/// failed (problem says why); an unknown step is shown as waiting.
package enum PhotoStep: String, Codable, CaseIterable, Sendable {
  case waiting, preparing, ready, uploading, uploaded, failed
}
