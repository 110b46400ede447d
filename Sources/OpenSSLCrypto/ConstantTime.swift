import COpenSSL

/// Comparisons whose duration does not tell where two values differ. Their lengths are not hidden.
package enum ConstantTime {
  /// Whether the two are the same bytes.
  package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in equal(left, right) } }
  }

  /// Whether the two texts are the same UTF-8 bytes (unlike `==`, which also accepts other
  /// compositions of the same characters).
  package static func equal(_ left: String, _ right: String) -> Bool {
    equal(Array(left.utf8), Array(right.utf8))
  }

  static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, left.count) == 0
  }
}
