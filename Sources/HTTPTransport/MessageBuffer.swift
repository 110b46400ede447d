/// What is wrong with the bytes of a message.
package enum MessageFault: Error, Equatable, Sendable {
  /// The bytes do not follow the grammar.
  case malformed(String)
  /// A line, or all lines of a header, are longer than allowed.
  case lineTooLong
  /// The body is longer than allowed.
  case bodyTooLarge
}

/// The bytes of a connection that are not understood yet, in whatever pieces they came.
package struct MessageBuffer {
  private var bytes: [UInt8] = []
  private var position = 0
  /// Up to here no line end was found: a line that dribbles in is not searched again and again.
  private var searched = 0

  /// No bytes.
  package init() {}

  /// Whether nothing is left.
  package var isEmpty: Bool { position == bytes.count }

  /// Takes bytes from the connection.
  package mutating func feed(_ new: UnsafeRawBufferPointer) {
    if isEmpty {
      bytes.removeAll(keepingCapacity: true)
      position = 0
      searched = 0
    }
    bytes.append(contentsOf: new)
  }

  /// Takes the next line, without its end, if it is there whole. A bare line feed ends a line too
  /// (RFC 9112 §2.2).
  ///
  /// - Parameters:
  ///   - used: how many bytes of the limit are used up; grows by the line.
  ///   - limit: how many bytes `used` may reach.
  /// - Returns: the line, or `nil` if its end has not arrived.
  /// - Throws: `MessageFault.lineTooLong` past the limit.
  package mutating func nextLine(
    used: inout Int, limit: Int
  ) throws(MessageFault) -> ArraySlice<UInt8>? {
    let from = max(position, searched)
    guard let end = bytes[from...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      guard used + bytes.count - position <= limit else { throw .lineTooLong }
      return nil
    }
    let line = bytes[position..<end]
    used += line.count + 1
    position = end + 1
    guard used <= limit else { throw .lineTooLong }
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// Whether the bytes so far could be the beginning of a message that starts like that.
  func begins(like text: String) -> Bool {
    zip(bytes[position...], text.utf8).allSatisfy { $0 == $1 }
  }

  /// Takes at most that many bytes.
  package mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let taken = bytes[position...].prefix(count)
    position += taken.count
    return taken
  }
}
