package import StrictJSON

/// A message ready to leave: one JSON object in UTF-8, without the framing around it.
package struct EncodedMessage: Hashable, Sendable {
  /// The object; free of line breaks.
  package let bytes: [UInt8]

  /// A notification.
  ///
  /// - Parameters:
  ///   - method: its name.
  ///   - params: its parameters.
  ///   - member: one more parameter, at the end, whose value is JSON already. A state document is large,
  ///     and whoever had to measure it need not write it twice.
  package init(
    notification method: String, _ params: JSONObject, member: (name: String, json: [UInt8])? = nil
  ) {
    guard let member else {
      self.init(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
      return
    }
    let head: JSONObject = ["jsonrpc": "2.0", "method": .string(method)]
    var bytes = head.serialized()
    bytes.reserveCapacity(bytes.count + member.json.count + 1_024)
    bytes.removeLast()
    bytes += #","params":"#.utf8
    bytes += params.serialized()
    bytes.removeLast()
    if !params.isEmpty { bytes.append(UInt8(ascii: ",")) }
    bytes += JSONValue.string(member.name).serialized()
    bytes.append(UInt8(ascii: ":"))
    bytes += member.json
    bytes += "}}".utf8
    self.init(bytes: bytes)
  }

  /// A request of ours.
  init(request id: RequestID, _ method: String, _ params: JSONObject) {
    self.init([
      "jsonrpc": "2.0", "id": id.json, "method": .string(method), "params": .object(params),
    ])
  }

  /// A result.
  init(answer id: RequestID, _ result: JSONObject) {
    self.init(["jsonrpc": "2.0", "id": id.json, "result": .object(result)])
  }

  /// An error; for nobody in particular when the request's id could not be read.
  init(failure id: RequestID?, _ error: RPCErrorObject) {
    self.init(["jsonrpc": "2.0", "id": id?.json ?? .null, "error": .object(error.json)])
  }

  private init(_ object: JSONObject) { self.init(bytes: object.serialized()) }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Adds the message to a stream.
  func append(to stream: inout [UInt8], framing: Framing) {
    if framing == .headers { stream += "Content-Length: \(bytes.count)\r\n\r\n".utf8 }
    stream += bytes
    if framing != .headers { stream.append(0x0A) }
  }
}
