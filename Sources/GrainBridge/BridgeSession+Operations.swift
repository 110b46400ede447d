import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

/// What a running operation has to do with requests and models.
struct OperationTrace {
  /// The requests that started or joined it, oldest first.
  var causes: [RequestID]
  /// The instances that showed it, or changed with it.
  var touched: Set<String> = []

  /// The request that started it.
  var startedBy: RequestID? { causes.first }
}

extension BridgeSession {
  /// Remembers that a request started an operation, or joined one.
  func began(_ operation: String, by id: RequestID) {
    if operations[operation] != nil {
      operations[operation]?.causes.append(id)
      return
    }
    operations[operation] = OperationTrace(causes: [id])
    if sendsProgress { connection.beginProgress(operation) }
  }

  /// Remembers that the core goes on with something on its own.
  func resumed(_ operation: String) {
    operations[operation] = OperationTrace(causes: [])
    if sendsProgress { connection.beginProgress(operation) }
  }

  /// The end of an operation, written after the state that shows it (O5).
  func ended(_ ending: OperationCenter.Ending) {
    settled { self.write(ending) }
  }

  private func write(_ ending: OperationCenter.Ending) {
    commit()
    let trace = operations.removeValue(forKey: ending.operation)
    var params: JSONObject = [
      "operation": .string(ending.operation), "intent": .string(ending.intent.rawValue),
    ]
    if ending.isResumed {
      params["origin"] = "resume"
    } else if let cause = trace?.startedBy {
      params["causedBy"] = cause.json
    }
    switch ending.outcome {
    case .succeeded: params["outcome"] = "succeeded"
    case .cancelled: params["outcome"] = "cancelled"
    case .failed: params["outcome"] = "failed"
    }
    params["revisions"] = .revisions(revisions(of: trace?.touched ?? []))
    if case .failed(let problem) = ending.outcome { params["problem"] = .encoding(problem) }
    connection.notify(
      "operations/ended", params, order: .afterState, endingProgress: [ending.operation])
  }

  /// The revisions of these instances, by model.
  func revisions(of keys: Set<String>) -> [String: Int] {
    var revisions: [String: Int] = [:]
    for instance in keys.compactMap({ instances[$0] }) {
      revisions[instance.model] = instance.revision
    }
    return revisions
  }

  /// Progress of an operation, for shells that asked for it.
  func progressed(_ progress: OperationCenter.Progress) {
    guard sendsProgress else { return }
    let value: JSONValue = [
      "done": JSONValue(Int(progress.done)), "total": JSONValue(Int(progress.total)),
      "unit": .string(progress.unit),
    ]
    connection.progress(
      progress.operation, done: Int(progress.done),
      EncodedMessage(
        notification: "$/progress", ["token": .string(progress.operation), "value": value]))
  }
}
