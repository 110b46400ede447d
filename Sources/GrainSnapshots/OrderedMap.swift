/// A collection as the bridge carries it: values by key, and the order of the keys.
///
/// On the wire it is two members, `<name>Order` (the keys) and `<name>` (the values by key), so a
/// merge patch touches one value without shifting the others (bridge-protocol §4.1). Order and
/// values always hold the same keys.
package struct OrderedMap<Value> {
  /// The keys, in the order of the list on screen.
  package private(set) var order: [String]
  private var values: [String: Value]

  /// An empty collection.
  package init() {
    order = []
    values = [:]
  }

  /// Makes room for so many pairs.
  package mutating func reserveCapacity(_ count: Int) {
    order.reserveCapacity(count)
    values.reserveCapacity(count)
  }

  /// The pairs in their order; a later pair with the key of an earlier one replaces its value.
  package init(_ pairs: some Sequence<(String, Value)>) {
    self.init()
    for (key, value) in pairs { self[key] = value }
  }

  /// `nil` unless `order` names every key of `values` exactly once.
  init?(order: [String], values: [String: Value]) {
    guard order.count == values.count, Set(order) == Set(values.keys) else { return nil }
    self.order = order
    self.values = values
  }

  /// The value of a key. Setting a new key appends it; setting `nil` removes the key.
  package subscript(key: String) -> Value? {
    get { values[key] }
    set {
      let isKnown = values[key] != nil
      values[key] = newValue
      if newValue == nil {
        if isKnown { order.removeAll { $0 == key } }
      } else if !isKnown {
        order.append(key)
      }
    }
  }

  /// Moves a key in front of another one, or to the end; unknown keys leave the order as it is.
  ///
  /// - Returns: whether both keys were known.
  @discardableResult
  package mutating func move(_ key: String, before other: String? = nil) -> Bool {
    guard values[key] != nil, other.map({ values[$0] != nil }) ?? true else { return false }
    guard key != other else { return true }
    order.removeAll { $0 == key }
    order.insert(key, at: other.flatMap(order.firstIndex(of:)) ?? order.endIndex)
    return true
  }
}

extension OrderedMap: Equatable where Value: Equatable {}
extension OrderedMap: Hashable where Value: Hashable {}
extension OrderedMap: Sendable where Value: Sendable {}

extension OrderedMap: Sequence {
  /// Walks the collection in its order.
  package func makeIterator() -> Iterator { Iterator(keys: order.makeIterator(), values: values) }

  /// One walk through a collection.
  package struct Iterator: IteratorProtocol {
    fileprivate var keys: IndexingIterator<[String]>
    fileprivate let values: [String: Value]

    /// The next pair.
    package mutating func next() -> (key: String, value: Value)? {
      while let key = keys.next() {
        if let value = values[key] { return (key, value) }
      }
      return nil
    }
  }

  /// How many values there are.
  package var count: Int { order.count }
  /// Whether there is none.
  package var isEmpty: Bool { order.isEmpty }
}

extension OrderedMap: ExpressibleByDictionaryLiteral {
  /// The pairs in the order written.
  package init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}
