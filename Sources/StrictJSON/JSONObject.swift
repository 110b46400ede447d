/// A JSON object: members in the order they were written, each name once.
///
/// Names are told apart by their bytes, not by canonical equivalence. Equality ignores the order.
/// Look-up takes constant time however many members there are.
package struct JSONObject: Sendable {
  /// Every member, in order.
  package private(set) var members: [(key: String, value: JSONValue)] = []
  /// Where each name stands; only kept once a scan of `members` would be slower.
  private var positions: [ExactText: Int]?

  private static let scanLimit = 12

  /// An object without members.
  package init() {}

  /// An object of these members; a name given twice keeps its first place and its last value.
  package init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  /// The names, in order.
  package var keys: [String] { members.map(\.key) }

  /// How many members there are.
  package var count: Int { members.count }

  /// Whether there are none.
  package var isEmpty: Bool { members.isEmpty }

  /// Whether both are one value that was copied and not changed since; constant time. `false` says nothing.
  func isSame(as other: JSONObject) -> Bool {
    members.withUnsafeBufferPointer { mine in
      other.members.withUnsafeBufferPointer { theirs in
        mine.baseAddress == theirs.baseAddress && mine.count == theirs.count
      }
    }
  }

  /// The value of a member, which in an object made alike stands at this place.
  func value(of key: String, probablyAt place: Int) -> JSONValue? {
    if place < members.count, ExactText.equal(members[place].key, key) {
      return members[place].value
    }
    return self[key]
  }

  /// The value of a member. A new name goes to the end; `nil` removes.
  package subscript(_ key: String) -> JSONValue? {
    get { position(of: key).map { members[$0].value } }
    set {
      switch (position(of: key), newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil):
        members.remove(at: position)
        positions = nil
        indexIfLarge()
      case (nil, let value?): appendNew(key, value)
      case (nil, nil): break
      }
    }
  }

  /// Removes every member the predicate accepts, in one pass.
  package mutating func removeAll(where isRemoved: (String, JSONValue) throws -> Bool) rethrows {
    try members.removeAll { try isRemoved($0.key, $0.value) }
    positions = nil
    indexIfLarge()
  }

  /// Adds a member at the end unless its name is taken.
  ///
  /// - Returns: `false` when it was, and nothing has changed.
  mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
    guard position(of: key) == nil else { return false }
    appendNew(key, value)
    return true
  }

  private mutating func appendNew(_ key: String, _ value: JSONValue) {
    members.append((key, value))
    positions?[ExactText(key)] = members.count - 1
    indexIfLarge()
  }

  private mutating func indexIfLarge() {
    guard positions == nil, members.count > Self.scanLimit else { return }
    var built: [ExactText: Int] = [:]
    built.reserveCapacity(members.count * 2)
    for (offset, member) in members.enumerated() { built[ExactText(member.key)] = offset }
    positions = built
  }

  private func position(of key: String) -> Int? {
    if let positions { return positions[ExactText(key)] }
    return members.firstIndex { ExactText.equal($0.key, key) }
  }
}

extension JSONObject: Hashable {
  /// The same names with equal values, in any order.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    if left.isSame(as: right) { return true }
    for (offset, member) in left.members.enumerated() {
      guard right.value(of: member.key, probablyAt: offset) == member.value else { return false }
    }
    return true
  }

  /// Hashes the members without their order.
  package func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var inner = Hasher()
      inner.combine(ExactText(member.key))
      inner.combine(member.value)
      sum ^= inner.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: CustomStringConvertible {
  /// The object as compact JSON.
  package var description: String { JSONValue.object(self).text() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object of these members, in this order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
