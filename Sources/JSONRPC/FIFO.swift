/// A queue that takes from the front in constant time.
struct FIFO<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  init() {}

  var isEmpty: Bool { head == elements.count }
  var count: Int { elements.count - head }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 256)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Replaces the first element for which there is a replacement; it keeps its place.
  ///
  /// - Returns: whether there was one.
  mutating func replaceFirst(_ replacement: (Element) -> Element?) -> Bool {
    for index in elements[head...].indices {
      guard let new = elements[index].flatMap(replacement) else { continue }
      elements[index] = new
      return true
    }
    return false
  }

  mutating func removeAll() -> [Element] {
    defer { self = FIFO() }
    return elements[head...].compactMap(\.self)
  }
}
