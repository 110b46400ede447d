import JSONRPC
import StrictJSON

/// The params of one `models/snapshot`, with the state written out; what is open is whether another
/// snapshot of the same frame follows.
struct SnapshotDocument {
  private var params: JSONObject
  private let member: (name: String, json: [UInt8])

  /// - Parameters:
  ///   - pending: what is to be shown, and what the shell holds.
  ///   - frame: the number of its frame.
  ///   - digest: of the applied state, in the test profile.
  init(
    _ pending: StateShelf.Pending, frame: Int, digest: (@Sendable ([UInt8]) -> String)?
  ) {
    let instance = pending.instance
    params = [
      "subscription": .string(pending.key), "model": .string(instance.model),
      "schema": .string(instance.schema), "revision": JSONValue(instance.revision),
      "frame": JSONValue(frame), "causedBy": .array(pending.causes.map(\.json)),
    ]
    if let patch = Self.patch(pending) {
      params["base"] = JSONValue(patch.base)
      member = ("merge", patch.json)
    } else {
      member = ("state", instance.state.serialized())
    }
    if let digest {
      params["digest"] = .string(digest(instance.state.serialized(sortedKeys: true)))
    }
  }

  /// The change since what the shell holds, where it is worth it: at most half the whole
  /// (bridge-protocol §4.3).
  private static func patch(_ pending: StateShelf.Pending) -> (base: Int, json: [UInt8])? {
    guard pending.delivery == .merge, let delivered = pending.delivered else { return nil }
    let state = pending.instance.state
    let patch = MergePatch.difference(from: delivered.state, to: state).serialized()
    return state.takes(atLeast: patch.count * 2) ? (delivered.revision, patch) : nil
  }

  /// The message itself.
  func message(more: Bool) -> EncodedMessage {
    var params = params
    if more { params["more"] = true }
    return EncodedMessage(notification: "models/snapshot", params, member: member)
  }
}
