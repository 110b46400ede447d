/// An object with free member names, written sorted.
///
/// A `Dictionary` encodes in an order that changes from run to run; the bridge writes equal values
/// as equal bytes.
struct SortedMembers<Value: Codable>: Codable {
  let members: [String: Value]

  init(_ members: [String: Value]) { self.members = members }

  init(from decoder: any Decoder) throws {
    members = try decoder.singleValueContainer().decode([String: Value].self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      try container.encode(value, forKey: MemberName(name))
    }
  }
}

/// A member name that is data: the key of a collection, the name of a parameter.
struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
