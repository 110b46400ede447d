package import StrictJSON

/// What came back for a request of ours.
package enum RPCAnswer: Hashable, Sendable {
  /// A result.
  case result(JSONObject)
  /// An error.
  case error(RPCErrorObject)
  /// A response that is neither: a result that is no object, an error without code or message.
  case malformed
  /// The connection ended before.
  case connectionEnded

  /// The answer in a response.
  package init(result: JSONObject?, error: JSONValue?) {
    if let error {
      self = RPCErrorObject(error).map { .error($0) } ?? .malformed
    } else {
      self = result.map { .result($0) } ?? .malformed
    }
  }
}
