/// Text compared by its bytes.
///
/// Swift compares strings by canonical equivalence: `é` in one code point equals `e` with an accent
/// behind it. JSON does not, and text is stored as written, so members and values need this instead.
struct ExactText: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactText, right: ExactText) -> Bool {
    equal(left.text, right.text)
  }

  func hash(into hasher: inout Hasher) {
    // Hashing bytes keeps canonically equal but different keys apart; `String` would collide them.
    let contiguous: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if contiguous == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }

  static func equal(_ left: String, _ right: String) -> Bool {
    // Canonically different text is different in bytes too, and that test is the fast one.
    left == right && left.utf8.elementsEqual(right.utf8)
  }

  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
