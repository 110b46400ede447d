import HTTPServing
import StrictJSON

extension AppView {
  /// `social.grain.unspecced.deleteAccount`: forgets everything it knows of the caller.
  ///
  /// The records themselves stay: all it holds is a service token, with which nobody can write to the
  /// caller's repository (G115).
  func deleteAccount(_ call: Call) async throws -> HTTPServerResponse {
    guard let viewer = call.viewer else {
      throw XRPCRefusal(401, "AuthMissing", "Authentication Required")
    }
    try XRPCInput.expectNone(call.request)
    try await index.forget(viewer)
    return .xrpc([:])
  }
}
