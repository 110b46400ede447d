import StrictJSON

/// Why this layer refuses a message by itself, before anybody above has seen it.
///
/// - SeeAlso: bridge protocol §1 (bad input), §7 (codes), §8 (overload)
package enum RPCFault: Error, Hashable, Sendable {
  /// The grammar is broken, or text follows the document.
  case invalidJSON
  /// The bytes are not text.
  case invalidUTF8
  /// The message is longer than `RPCConfiguration.maximumMessageBytes`.
  case tooLarge
  /// Nested too deep.
  case tooDeep
  /// One object has a member twice.
  case duplicateMember
  /// A document, but no object.
  case notAnObject
  /// An array: batches are not spoken here.
  case batch
  /// The `id` is none we would repeat.
  case badID
  /// The `id` belongs to a request that is not answered yet.
  case duplicateID(RequestID)
  /// Not JSON-RPC 2.0, or neither request nor response.
  case invalidRequest
  /// `params`, or what this JSON Pointer into it names, is unfit.
  case invalidParams(field: String)
  /// Nobody here answers to that method.
  case unknownMethod
  /// More is unanswered or waiting than may be.
  case overloaded(retryAfterMilliseconds: Int)

  /// The number in the error object.
  package var code: Int {
    switch self {
    case .invalidJSON, .invalidUTF8: -32700
    case .tooLarge, .tooDeep, .duplicateMember, .notAnObject, .batch, .badID, .duplicateID,
      .invalidRequest:
      -32600
    case .unknownMethod: -32601
    case .invalidParams: -32602
    case .overloaded: -32005
    }
  }

  /// The stable machine name.
  package var kind: String {
    switch self {
    case .invalidJSON: "frame.invalidJson"
    case .invalidUTF8: "frame.invalidUtf8"
    case .tooLarge: "frame.tooLarge"
    case .tooDeep: "frame.tooDeep"
    case .duplicateMember: "frame.duplicateKey"
    case .notAnObject: "rpc.notAnObject"
    case .batch: "rpc.batch"
    case .badID: "rpc.badId"
    case .duplicateID: "rpc.duplicateId"
    case .invalidRequest: "rpc.invalidRequest"
    case .invalidParams: "rpc.invalidParams"
    case .unknownMethod: "rpc.unknownMethod"
    case .overloaded: "protocol.overloaded"
    }
  }

  /// English for developers.
  package var message: String {
    switch self {
    case .invalidJSON: "the message is not JSON"
    case .invalidUTF8: "the message is not UTF-8"
    case .tooLarge: "the message is too long"
    case .tooDeep: "the message is nested too deep"
    case .duplicateMember: "an object has the same member twice"
    case .notAnObject: "the message is not an object"
    case .batch: "batches are not supported"
    case .badID: "the id must be a whole number from 0 to 2^53-1 or text of at most 64 bytes"
    case .duplicateID: "a request with this id is not answered yet"
    case .invalidRequest: "neither a request nor a response of JSON-RPC 2.0"
    case .invalidParams: "the parameters do not fit"
    case .unknownMethod: "no such method"
    case .overloaded: "too much is waiting"
    }
  }

  /// The error in the house's shape: `kind`, `retryable`, a message for the person, and what belongs to it.
  package var object: RPCErrorObject {
    var data: JSONObject = ["kind": .string(kind), "retryable": .bool(code == -32005)]
    data["message"] = [
      "key": .string(kind), "params": [:],
      "fallback": code == -32005
        ? "The app is busy. Try again in a moment."
        : "The app sent something it should not have. This is a bug in the app.",
    ]
    switch self {
    case .duplicateID(let id): data["details"] = ["requestId": id.json]
    case .invalidParams(let field): data["field"] = .string(field)
    case .overloaded(let milliseconds): data["retryAfterMs"] = JSONValue(milliseconds)
    default: break
    }
    return RPCErrorObject(code: code, message: message, data: .object(data))
  }
}

extension RPCFault {
  /// What a fault of the document means for the message; limits on its parts are a matter of `params`.
  init(_ error: JSONParseError) {
    switch error {
    case .invalidJSON: self = .invalidJSON
    case .invalidUTF8: self = .invalidUTF8
    case .tooDeep: self = .tooDeep
    case .duplicateKey: self = .duplicateMember
    case .stringTooLong, .tooManyMembers: self = .invalidParams(field: "")
    }
  }
}
