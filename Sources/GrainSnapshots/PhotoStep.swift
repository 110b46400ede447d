/// How far one photo of a draft has come. Shells show an unknown step as `waiting`.
package enum PhotoStep: String, Codable, CaseIterable, Sendable {
  /// Chosen, not looked at yet.
  case waiting
  /// Being read, measured, stripped and resized.
  case preparing
  /// Its publishable copy is on disk.
  case ready
  /// Being sent to the server.
  case uploading
  /// The server has it.
  case uploaded
  /// Cannot go on; its `problem` says why.
  case failed
}
