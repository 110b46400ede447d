package import Foundation
import SystemClients

/// A timestamp identifier: 53 bits of microseconds since 1970, then a 10-bit clock id, as 13
/// characters that sort by time.
///
/// Source: atproto TID specification; vectors in grain-product §21.
package struct TID: SyntaxText {
  /// Thirteen characters.
  package let rawValue: String

  /// Reads a TID.
  package init(_ text: String) throws(SyntaxError) {
    let bytes = Array(text.utf8)
    // The first character holds four bits only: the top bit of the 64 is always zero.
    guard bytes.count == 13, bytes.allSatisfy(TID.alphabet.contains), bytes[0] <= UInt8(ascii: "j")
    else { throw .malformed(.tid, text) }
    rawValue = text
  }

  /// - Parameters:
  ///   - microseconds: since 1970; only the low 53 bits are used.
  ///   - clockID: tells apart writers that share a microsecond; only the low 10 bits are used.
  package init(microseconds: Int64, clockID: Int) {
    let time = UInt64(bitPattern: microseconds) & (1 << 53 - 1)
    let value = time << 10 | UInt64(clockID & 1023)
    let characters = (0..<13).map { TID.alphabet[Int(value >> UInt64(60 - 5 * $0) & 31)] }
    rawValue = String(decoding: characters, as: UTF8.self)
  }

  /// Microseconds since 1970.
  package var microseconds: Int64 { Int64(value >> 10) }

  /// The writer's clock id, 0…1023.
  package var clockID: Int { Int(value & 1023) }

  private var value: UInt64 {
    rawValue.utf8.reduce(0) { $0 << 5 | UInt64(TID.alphabet.firstIndex(of: $1) ?? 0) }
  }

  private static let alphabet = Array("234567abcdefghijklmnopqrstuvwxyz".utf8)
}

/// Hands out record keys in writing order: strictly increasing, whatever the clock does.
package final class TIDGenerator: Sendable {
  private let clockID: Int
  private let last: Locked<Int64>

  /// - Parameters:
  ///   - clockID: random, 0…1023, one for the life of the process.
  ///   - after: a TID that every new one must exceed, such as the newest one stored.
  package init(clockID: Int, after: TID? = nil) {
    self.clockID = clockID
    last = Locked(after?.microseconds ?? -1)
  }

  /// The next identifier for a record written at `date`.
  ///
  /// When the clock stands still or runs back, the time part moves on by one microsecond instead.
  package func next(at date: Date) -> TID {
    let now = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
    let microseconds = last.withLock { last in
      last = max(now, last + 1)
      return last
    }
    return TID(microseconds: microseconds, clockID: clockID)
  }
}
