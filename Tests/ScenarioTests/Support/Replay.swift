import ShellClient
import StrictJSON

/// A recorded session, seen again message by message as a shell sees it: states are applied, and
/// looked at where a frame is complete.
struct Replay {
  /// What a shell holds after a message.
  struct Moment {
    /// Applied states by subscription.
    let states: [String: JSONValue]
    let message: JSONValue

    /// Whether this message is the end of an operation.
    var ending: String? {
      message["method"] == "operations/ended" ? message["params"]?["intent"]?.stringValue : nil
    }
  }

  /// The moments at which a shell draws, or hears of an end.
  let moments: [Moment]
  /// What the core did that no shell can work with; empty.
  let faults: [String]

  init(_ traffic: [Shell.Message]) {
    var states: [String: JSONValue] = [:]
    var revisions: [String: Int] = [:]
    var moments: [Moment] = []
    var faults: [String] = []
    var frame: Int?
    for message in traffic where message.direction == .received {
      let json = message.json
      guard json["method"] == "models/snapshot", let params = json["params"],
        let key = params["subscription"]?.stringValue, let revision = params["revision"]?.intValue
      else {
        moments.append(Moment(states: states, message: json))
        continue
      }
      if let held = revisions[key], held >= revision { faults.append("\(key): \(revision)") }
      if let frame, frame != params["frame"]?.intValue { faults.append("frame \(frame) broken") }
      if let state = params["state"] {
        states[key] = state
      } else if let patch = params["merge"], let held = states[key],
        revisions[key] == params["base"]?.intValue
      {
        states[key] = MergePatch.apply(patch, to: held)
      } else {
        faults.append("\(key): no base for \(revision)")
      }
      revisions[key] = revision
      frame = params["more"] == true ? params["frame"]?.intValue : nil
      if frame == nil { moments.append(Moment(states: states, message: json)) }
    }
    self.moments = moments
    self.faults = faults
  }
}
