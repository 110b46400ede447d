import StrictJSON

/// One JSON-RPC request and the end of its line.
enum RequestLine {
  /// A request of ours: params by name.
  static func named(_ id: Int, _ method: String, _ params: JSONObject = [:]) -> [UInt8] {
    line(id, method, .object(params))
  }

  /// A request of the peer's: params by position, here none.
  static func positional(_ id: Int, _ method: String) -> [UInt8] { line(id, method, .array([])) }

  private static func line(_ id: Int, _ method: String, _ params: JSONValue) -> [UInt8] {
    let message: JSONValue = [
      "jsonrpc": "2.0", "id": JSONValue(id), "method": .string(method), "params": params,
    ]
    return message.serialized() + [0x0A]
  }
}
