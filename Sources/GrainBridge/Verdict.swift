import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension RPCErrorObject {
  /// A problem as a JSON-RPC error: the registry's code and words, the problem as `data`.
  init(_ problem: Problem) {
    self.init(
      code: problem.code, message: problem.kind.summary,
      data: JSONValue.encoding(ErrorData(problem)))
  }
}

extension JSONValue {
  /// A value of ours as JSON; ours always encode.
  static func encoding(_ value: some Encodable) -> JSONValue {
    do {
      return try JSONValueEncoder().encode(value)
    } catch {
      preconditionFailure("\(type(of: value)) does not encode")
    }
  }
}

extension Accepted {
  /// The verdict as it is written (bridge-protocol §5).
  func result(revisions: [String: Int]) -> JSONObject {
    var result: JSONObject = ["accepted": true]
    if joined { result["joined"] = true }
    if let operation { result["operation"] = .string(operation) }
    result["revisions"] = .revisions(revisions)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      result[name] = .encoding(value)
    }
    return result
  }
}

extension JSONValue {
  /// Revisions by model, names sorted so that equal values have equal bytes.
  static func revisions(_ revisions: [String: Int]) -> JSONValue {
    .object(
      JSONObject(revisions.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }))
  }
}
