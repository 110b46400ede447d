package import StrictJSON

/// A message whose envelope has been checked; what it asks for has not.
package enum IncomingMessage: Hashable, Sendable {
  /// Wants exactly one response.
  case request(id: RequestID, method: String, params: JSONObject)
  /// A request that was taken back before anybody looked at it; it wants its response all the same,
  /// in its turn (O2).
  case withdrawn(id: RequestID)
  /// Wants none, not even an error.
  case notification(method: String, params: JSONObject)
  /// Answers a request of ours. With neither `result` nor `error` the answer was malformed.
  case response(id: RequestID, result: JSONObject?, error: JSONValue?)
}
