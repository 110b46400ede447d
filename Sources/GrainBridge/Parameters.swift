import GrainModels
import JSONRPC
import StrictJSON

/// The params of one request, taken member by member; what nobody took is refused (bridge-protocol
/// §5: shell → core objects are closed).
struct Parameters {
  private let object: JSONObject
  private let here: MemberPlace
  private var taken: Set<String> = []

  init(_ object: JSONObject, at place: MemberPlace = .params) {
    self.object = object
    here = place
  }

  /// The largest number an integer may be (bridge-protocol §9).
  static let largestInteger = 1 << 53 - 1

  /// The place of a member, as a JSON Pointer into the request's params; of one whose name may not be
  /// repeated, the place it is in.
  func place(_ name: String) -> String { here.member(name).pointer }

  /// The place of an element of a member.
  func place(_ name: String, _ index: Int) -> String { here.member(name).element(index).pointer }

  /// A member as it is; `nil` where there is none.
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

  /// A text that is never empty.
  mutating func name(_ name: String, limit: Int) throws(IntentRejection) -> String? {
    let text = try text(name, limit: limit)
    if text?.isEmpty == true { throw .invalid(place(name)) }
    return text
  }

  /// A text that names something: required and never empty.
  mutating func key(_ name: String, limit: Int = 64) throws(IntentRejection) -> String {
    guard let text = try self.name(name, limit: limit) else { throw .invalid(place(name)) }
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

  /// A text that has to be there, maybe empty.
  mutating func requiredText(_ name: String, limit: Int = 4096) throws(IntentRejection) -> String {
    guard let text = try text(name, limit: limit) else { throw .invalid(place(name)) }
    return text
  }

  /// True or false.
  mutating func flag(_ name: String) throws(IntentRejection) -> Bool? {
    guard let value = try value(name) else { return nil }
    guard let flag = value.boolValue else { throw .invalid(place(name)) }
    return flag
  }

  /// A whole number.
  mutating func integer(
    _ name: String, in range: ClosedRange<Int>
  ) throws(IntentRejection) -> Int? {
    guard let value = try value(name) else { return nil }
    guard let number = value.intValue, range.contains(number) else { throw .invalid(place(name)) }
    return number
  }

  /// Texts, each of at most `limit` code points.
  mutating func texts(
    _ name: String, most: Int, limit: Int = 4096
  ) throws(IntentRejection) -> [String]? {
    try elements(name, most: most) { element in
      element.stringValue.flatMap { $0.unicodeScalars.count <= limit ? $0 : nil }
    }
  }

  /// Some of a few words.
  mutating func choices(
    _ name: String, of words: [String], most: Int
  ) throws(IntentRejection) -> [String]? {
    try elements(name, most: most) { element in
      element.stringValue.flatMap { words.contains($0) ? $0 : nil }
    }
  }

  /// Those of some texts that are known; the rest are for a newer reader.
  mutating func known(
    _ name: String, of words: [String], most: Int
  ) throws(IntentRejection) -> [String] {
    try texts(name, most: most)?.filter(words.contains) ?? []
  }

  /// Whole numbers.
  mutating func integers(
    _ name: String, most: Int, in range: ClosedRange<Int>
  ) throws(IntentRejection) -> [Int]? {
    try elements(name, most: most) { element in
      element.intValue.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private mutating func elements<Element>(
    _ name: String, most: Int, _ read: (JSONValue) -> Element?
  ) throws(IntentRejection) -> [Element]? {
    guard let value = try value(name) else { return nil }
    guard let array = value.arrayValue, array.count <= most else { throw .invalid(place(name)) }
    var elements: [Element] = []
    for (index, element) in array.enumerated() {
      guard let element = read(element) else { throw .invalid(place(name, index)) }
      elements.append(element)
    }
    return elements
  }

  /// An object, to be taken apart in turn.
  mutating func object(_ name: String) throws(IntentRejection) -> Parameters? {
    guard let value = try value(name) else { return nil }
    guard let object = value.objectValue else { throw .invalid(place(name)) }
    return Parameters(object, at: here.member(name))
  }

  /// Objects, each to be taken apart in turn.
  mutating func objects(_ name: String, most: Int) throws(IntentRejection) -> [Parameters]? {
    guard let value = try value(name) else { return nil }
    guard let array = value.arrayValue, array.count <= most else { throw .invalid(place(name)) }
    var objects: [Parameters] = []
    for (index, element) in array.enumerated() {
      let place = here.member(name).element(index)
      guard let object = element.objectValue else { throw .invalid(place.pointer) }
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
  /// - Throws: the place of the first member nobody knows.
  func end() throws(IntentRejection) {
    for name in object.keys where !taken.contains(name) { throw .invalid(place(name)) }
  }
}
