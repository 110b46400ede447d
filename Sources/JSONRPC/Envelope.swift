import StrictJSON

/// Reads what is around a message: is it one, of which kind, and for whom is the answer.
enum Envelope {
  /// What came of one frame.
  enum Reading: Equatable {
    case message(IncomingMessage)
    /// To be answered with an error; without an id if none could be read.
    case refused(RPCFault, id: RequestID?)
    /// Not to be answered, because a notification or a response never is.
    case ignored(RPCFault)
  }

  static func read(_ frame: some Collection<UInt8>, limits: JSONLimits) -> Reading {
    do throws(JSONParseError) {
      return classify(try JSONParser.parse(frame, limits: limits))
    } catch .stringTooLong {
      return readOversized(frame, limits: limits)
    } catch .tooManyMembers {
      return readOversized(frame, limits: limits)
    } catch {
      return .refused(RPCFault(error), id: nil)
    }
  }

  static func classify(_ value: JSONValue) -> Reading {
    guard case .object(let object) = value else {
      return .refused(value.arrayValue == nil ? .notAnObject : .batch, id: nil)
    }
    let answers = object["method"] == nil && (object["result"] != nil || object["error"] != nil)
    let id = object["id"].flatMap(RequestID.init)
    if let given = object["id"], id == nil {
      // An error about a message of ours that could not be read has a null id. Answering it could go on
      // for ever between two peers who both do.
      return given.isNull && answers ? .ignored(.badID) : .refused(.badID, id: nil)
    }
    guard object["jsonrpc"]?.stringValue == "2.0" else { return .refused(.invalidRequest, id: id) }
    guard !answers else { return response(object, id: id) }
    guard let method = object["method"]?.stringValue else {
      return .refused(.invalidRequest, id: id)
    }
    guard let params = parameters(object["params"]) else {
      let fault = RPCFault.invalidParams(field: "")
      return id.map { .refused(fault, id: $0) } ?? .ignored(fault)
    }
    guard let id else { return .message(.notification(method: method, params: params)) }
    return .message(.request(id: id, method: method, params: params))
  }

  private static func response(_ object: JSONObject, id: RequestID?) -> Reading {
    guard let id else { return .refused(.invalidRequest, id: nil) }
    let error = object["error"]
    return .message(
      .response(id: id, result: error == nil ? object["result"]?.objectValue : nil, error: error))
  }

  private static func parameters(_ value: JSONValue?) -> JSONObject? {
    switch value {
    case nil, .null: [:]
    case .object(let object): object
    default: nil
    }
  }

  /// A text or collection is over its limit, though the message is not: the id is worth finding, because
  /// the sender waits for an answer to it.
  private static func readOversized(
    _ frame: some Collection<UInt8>, limits: JSONLimits
  ) -> Reading {
    let loose = JSONLimits(
      maximumDepth: limits.maximumDepth, maximumStringBytes: .max, maximumMembers: .max)
    do throws(JSONParseError) {
      let value = try JSONParser.parse(frame, limits: loose)
      switch classify(value) {
      case .message(.request(let id, _, let params)):
        let place = oversized(.object(params), limits: limits, at: .params) ?? .params
        return .refused(.invalidParams(field: place.pointer), id: id)
      case .message(.notification): return .ignored(.invalidParams(field: ""))
      case .message(.response(let id, _, _)):
        return .message(.response(id: id, result: nil, error: nil))
      case let other: return other
      }
    } catch {
      return .refused(RPCFault(error), id: nil)
    }
  }

  private static func oversized(
    _ value: JSONValue, limits: JSONLimits, at place: MemberPlace
  ) -> MemberPlace? {
    switch value {
    case .string(let text): return text.utf8.count > limits.maximumStringBytes ? place : nil
    case .number(let number):
      return number.literal.utf8.count > limits.maximumStringBytes ? place : nil
    case .array(let elements):
      guard elements.count <= limits.maximumMembers else { return place }
      for (offset, element) in elements.enumerated() {
        if let found = oversized(element, limits: limits, at: place.element(offset)) {
          return found
        }
      }
      return nil
    case .object(let object):
      guard object.count <= limits.maximumMembers else { return place }
      for (key, member) in object.members {
        guard key.utf8.count <= limits.maximumStringBytes else { return place }
        if let found = oversized(member, limits: limits, at: place.member(key)) { return found }
      }
      return nil
    case .null, .bool: return nil
    }
  }
}
