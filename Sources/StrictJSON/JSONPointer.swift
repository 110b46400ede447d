/// Paths into a JSON value: `/photos/0/alt`.
///
/// - SeeAlso: RFC 6901
package enum JSONPointer {
  /// The pointer made of these member names and indices; none gives the empty pointer.
  package static func text(of steps: some Sequence<String>) -> String {
    steps.map { "/" + escaped($0) }.joined()
  }

  /// The names and indices a pointer is made of; `nil` when it is not a pointer.
  package static func steps(of pointer: String) -> [String]? {
    guard !pointer.isEmpty else { return [] }
    guard pointer.utf8.first == UInt8(ascii: "/") else { return nil }
    var steps: [String] = []
    for part in pointer.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let step = unescaped(part) else { return nil }
      steps.append(step)
    }
    return steps
  }

  /// An array index: digits without a leading zero.
  static func index(_ step: String) -> Int? {
    guard step.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    guard step == "0" || step.utf8.first != UInt8(ascii: "0") else { return nil }
    return Int(step)
  }

  private static func escaped(_ step: String) -> String {
    guard step.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
    else { return step }
    var bytes: [UInt8] = []
    for byte in step.utf8 {
      switch byte {
      case UInt8(ascii: "~"): bytes += "~0".utf8
      case UInt8(ascii: "/"): bytes += "~1".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescaped(_ part: Substring.UTF8View.SubSequence) -> String? {
    var bytes: [UInt8] = []
    var rest = part.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.next() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
