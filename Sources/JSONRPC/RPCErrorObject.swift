package import StrictJSON

/// What stands in place of a result.
///
/// - SeeAlso: JSON-RPC 2.0 §5.1
package struct RPCErrorObject: Error, Hashable, Sendable {
  /// The number programs of any JSON-RPC library understand.
  package let code: Int
  /// English for developers, free of user data, never shown.
  package let message: String
  /// What programs of ours look at.
  package let data: JSONValue?

  /// An error of these parts.
  package init(code: Int, message: String, data: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// The error in a response; `nil` unless it has a whole `code` and a `message`.
  package init?(_ json: JSONValue) {
    guard let code = json["code"]?.intValue, let message = json["message"]?.stringValue
    else { return nil }
    self.init(code: code, message: message, data: json["data"])
  }

  /// The error as it stands in a response.
  package var json: JSONObject {
    var object: JSONObject = ["code": JSONValue(code), "message": .string(message)]
    object["data"] = data
    return object
  }
}
