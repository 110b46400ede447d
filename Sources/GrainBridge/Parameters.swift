import GrainModels
import StrictJSON

/// The params of one request, taken member by member; what nobody took is refused (bridge-protocol
/// §5: shell → core objects are closed).
struct Parameters {
  private let object: JSONObject
  private let pointer: String
  private var taken: Set<String> = []

  init(_ object: JSONObject, at pointer: String = "") {
    self.object = object
    self.pointer = pointer
  }

  /// The place of a member, as a JSON Pointer into the request's params.
  func place(_ name: String) -> String { "\(pointer)/\(name)" }

  mutating func value(_ name: String) throws(IntentRejection) -> JSONValue? {
    taken.insert(name)
    guard let value = object[name] else { return nil }
    // Optional members are left out, never null (FB-C13).
    if value == .null { throw .invalid(place(name)) }
    return value
  }

  /// A text of at most `limit` code points, as JSON Schema counts them.
  mutating func text(_ name: String, limit: Int = 4096) throws(IntentRejection) -> String? {
    guard let value = try value(name) else { return nil }
    guard let text = value.stringValue,
      text.utf8.count <= limit || text.unicodeScalars.count <= limit
    else { throw .invalid(place(name)) }
    return text
  }

  /// A text that names something: required and never empty.
  mutating func key(_ name: String, limit: Int = 64) throws(IntentRejection) -> String {
    let text = try requiredText(name, limit: limit)
    if text.isEmpty { throw .invalid(place(name)) }
    return text
  }

  /// One of a few words.
  mutating func choice(
    _ name: String, of words: [String]
  ) throws(IntentRejection) -> String? {
    guard let word = try text(name) else { return nil }
    guard words.contains(word) else { throw .invalid(place(name)) }
    return word
  }

  mutating func requiredText(_ name: String, limit: Int = 4096) throws(IntentRejection) -> String {
    guard let text = try text(name, limit: limit) else { throw .invalid(place(name)) }
    return text
  }

  mutating func flag(_ name: String) throws(IntentRejection) -> Bool? {
    guard let value = try value(name) else { return nil }
    guard let flag = value.boolValue else { throw .invalid(place(name)) }
    return flag
  }

  mutating func integer(
    _ name: String, in range: ClosedRange<Int>
  ) throws(IntentRejection) -> Int? {
    guard let value = try value(name) else { return nil }
    guard let number = value.intValue, range.contains(number) else { throw .invalid(place(name)) }
    return number
  }

  mutating func texts(_ name: String) throws(IntentRejection) -> [String]? {
    guard let value = try value(name) else { return nil }
    guard let array = value.arrayValue else { throw .invalid(place(name)) }
    var texts: [String] = []
    for (index, element) in array.enumerated() {
      guard let text = element.stringValue else { throw .invalid("\(place(name))/\(index)") }
      texts.append(text)
    }
    return texts
  }

  mutating func object(_ name: String) throws(IntentRejection) -> Parameters? {
    guard let value = try value(name) else { return nil }
    guard let object = value.objectValue else { throw .invalid(place(name)) }
    return Parameters(object, at: place(name))
  }

  mutating func objects(_ name: String) throws(IntentRejection) -> [Parameters]? {
    guard let value = try value(name) else { return nil }
    guard let array = value.arrayValue else { throw .invalid(place(name)) }
    var objects: [Parameters] = []
    for (index, element) in array.enumerated() {
      let place = "\(place(name))/\(index)"
      guard let object = element.objectValue else { throw .invalid(place) }
      objects.append(Parameters(object, at: place))
    }
    return objects
  }

  /// Takes whatever members there are, for objects that stay open.
  mutating func rest() -> JSONObject {
    taken.formUnion(object.keys)
    return object
  }

  /// Says that everything has been taken.
  ///
  /// - Throws: the first member nobody knows.
  func end() throws(IntentRejection) {
    for name in object.keys where !taken.contains(name) { throw .invalid(place(name)) }
  }
}
