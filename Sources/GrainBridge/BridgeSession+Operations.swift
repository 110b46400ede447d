import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

/// What a running operation has to do with requests and models.
struct OperationTrace {
  /// The intent whose work it is.
  let intent: IntentName
  /// Tells which of two operations began first.
  let serial: Int
  /// The instance of a parametrised model that the intent names, or that showed the operation first.
  var instance: String?
  /// The requests that started or joined it, oldest first.
  var causes: [RequestID] = []
  /// The instances that showed it, or changed with it.
  var touched: Set<String> = []

  /// The request that started it.
  var startedBy: RequestID? { causes.first }

  /// Notes the instance it is about; the first one counts.
  mutating func speaks(to instance: String) {
    if self.instance == nil { self.instance = instance }
  }
}

extension BridgeSession {
  /// Remembers an operation that begins; its request is not known yet, or there is none.
  func began(_ operation: String, _ intent: IntentName) {
    operationCount += 1
    operations[operation] = OperationTrace(intent: intent, serial: operationCount)
    if sendsProgress { connection.beginProgress(operation) }
  }

  /// Remembers that a request started an operation, or joined one.
  ///
  /// - Parameters:
  ///   - operation: its id.
  ///   - instance: the instance the intent speaks to.
  ///   - id: the request.
  func began(_ operation: String, at instance: String?, by id: RequestID) {
    operations[operation]?.causes.append(id)
    guard let instance, instances[instance]?.argument != nil else { return }
    operations[operation]?.speaks(to: instance)
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
    let touched = (trace?.touched ?? []).filter { key in
      instances[key]?.argument == nil || key == trace?.instance
    }
    params["revisions"] = .revisions(revisions(of: touched))
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
