/// A cell of the H3 grid at resolution 10, about 130 metres across: as near as a gallery says where it
/// was (grain-product §14).
package struct GridCell: Hashable, Sendable {
  /// What is wrong with a text that is no such cell.
  package enum Flaw: Error, Equatable, Sendable {
    /// Not fifteen lower-case hexadecimal digits.
    case notAnIndex
    /// An edge, a vertex, or a cell number that the grid does not have.
    case noCell
    /// A cell of another size.
    case resolution(Int)
  }

  /// The resolution this core writes.
  package static let resolution = 10

  /// The index, fifteen lower-case hexadecimal digits.
  package let index: String

  /// Reads an index and checks that the grid has it.
  ///
  /// From the top: one zero bit, four of the mode (1 is a cell), three zeros, four of the resolution,
  /// seven of the base cell (0–121), then fifteen digits of three bits: 0–6 down to the resolution, 7
  /// below it. Source: the H3 index format.
  package init(_ text: String) throws(Flaw) {
    guard text.utf8.count == 15, let bits = UInt64(text, radix: 16), text == text.lowercased(),
      !text.hasPrefix("+")
    else { throw .notAnIndex }
    guard bits >> 63 == 0, bits >> 59 & 15 == 1, bits >> 56 & 7 == 0 else { throw .noCell }
    let resolution = Int(bits >> 52 & 15)
    guard resolution == Self.resolution else { throw .resolution(resolution) }
    let base = Int(bits >> 45 & 127)
    let digits = (1...15).map { Int(bits >> UInt64(45 - 3 * $0) & 7) }
    guard base < 122, digits.prefix(resolution).allSatisfy({ $0 < 7 }),
      digits.dropFirst(resolution).allSatisfy({ $0 == 7 })
    else { throw .noCell }
    // Around a pentagon one of the seven directions does not exist.
    if Self.pentagons.contains(base), digits.first(where: { $0 != 0 }) == 1 { throw .noCell }
    index = text
  }

  private static let pentagons: Set<Int> = [4, 14, 24, 38, 49, 58, 63, 72, 83, 97, 107, 117]
}
