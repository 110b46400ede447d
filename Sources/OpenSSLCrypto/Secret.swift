/// Bytes that must not be printed, compared carelessly or left behind in memory.
///
/// Copies share one block, which is zeroed when the last of them dies. What the bytes were made
/// from (an array, a string) is the caller's, and Swift cannot wipe it: keep such values short-lived
/// and prefer ``withBytes(_:)`` over ``reveal()``. Equality takes the same time wherever the bytes
/// differ.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  private let memory: WipedMemory

  /// Copies the bytes.
  package init(_ bytes: [UInt8]) {
    memory = WipedMemory(count: bytes.count) { block in
      block.copyBytes(from: bytes)
      return bytes.count
    }
  }

  /// The UTF-8 bytes of a text.
  package init(text: String) {
    self.init(Array(text.utf8))
  }

  /// Lets a function of this room write the bytes where they will stay.
  init<Failure: Error>(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    memory = try WipedMemory(count: capacity, fill: fill)
  }

  /// The number of bytes.
  package var count: Int { memory.bytes.count }

  /// Always the same words, whatever is inside.
  package var description: String { "Secret(redacted)" }

  /// Without children, so that `dump` and reflection see nothing either.
  package var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Reads the bytes in place; the pointer must not leave `body`.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withExtendedLifetime(memory) { memory throws(Failure) in try body(memory.bytes) }
  }

  /// A copy of the bytes, which nobody wipes. Each call is a point for review.
  package func reveal() -> [UInt8] {
    withBytes { Array($0) }
  }

  /// The bytes as UTF-8 text (damage becomes U+FFFD). Each call is a point for review.
  package func revealText() -> String {
    withBytes { String(decoding: $0, as: UTF8.self) }
  }

  package static func == (left: Secret, right: Secret) -> Bool {
    left.withBytes { left in right.withBytes { right in ConstantTime.equal(left, right) } }
  }
}
