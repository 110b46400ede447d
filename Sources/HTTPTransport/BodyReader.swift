/// Reads the body of one message (RFC 9112 §6 and §7).
package struct BodyReader {
  private enum Stage {
    case counted(left: Int)
    case untilEnd
    case chunkSize
    case chunk(left: Int)
    case chunkEnd
    case trailer
    case done
  }

  /// The longest line of a chunk's size with its extensions, and the longest trailer section.
  private static let lineLimit = 16 * 1024

  private var stage: Stage
  private var lineBytes = 0
  private let limit: Int
  /// What was read so far.
  package private(set) var bytes: [UInt8] = []

  private init(_ stage: Stage, limit: Int) {
    self.stage = stage
    self.limit = limit
  }

  /// A body of known length.
  package static func counted(_ length: Int, limit: Int) throws(MessageFault) -> BodyReader {
    guard length <= limit else { throw .bodyTooLarge }
    return BodyReader(length == 0 ? .done : .counted(left: length), limit: limit)
  }

  /// A body in chunks.
  package static func chunked(limit: Int) -> BodyReader {
    BodyReader(.chunkSize, limit: limit)
  }

  /// A body that ends with the connection.
  static func untilEnd(limit: Int) -> BodyReader {
    BodyReader(.untilEnd, limit: limit)
  }

  /// Whether only the end of the connection ends the body.
  var endsWithConnection: Bool {
    if case .untilEnd = stage { return true }
    return false
  }

  /// Reads on; true when the body is complete.
  package mutating func read(_ buffer: inout MessageBuffer) throws(MessageFault) -> Bool {
    while true {
      switch stage {
      case .done: return true
      case .counted(let left):
        let taken = take(left, &buffer)
        guard taken == left else {
          stage = .counted(left: left - taken)
          return false
        }
        stage = .done
      case .untilEnd:
        guard take(limit + 1 - bytes.count, &buffer) > 0 else { return false }
        guard bytes.count <= limit else { throw .bodyTooLarge }
      case .chunkSize:
        guard let line = try buffer.nextLine(used: &lineBytes, limit: Self.lineLimit) else {
          return false
        }
        lineBytes = 0
        let size = try Self.chunkSize(line)
        guard bytes.count + size <= limit else { throw .bodyTooLarge }
        stage = size == 0 ? .trailer : .chunk(left: size)
      case .chunk(let left):
        let taken = take(left, &buffer)
        guard taken == left else {
          stage = .chunk(left: left - taken)
          return false
        }
        stage = .chunkEnd
      case .chunkEnd:
        guard let line = try buffer.nextLine(used: &lineBytes, limit: Self.lineLimit) else {
          return false
        }
        lineBytes = 0
        guard line.isEmpty else { throw .malformed("chunk longer than its size") }
        stage = .chunkSize
      case .trailer:
        guard let line = try buffer.nextLine(used: &lineBytes, limit: Self.lineLimit) else {
          return false
        }
        // Trailers are read and dropped.
        if line.isEmpty { stage = .done }
      }
    }
  }

  private mutating func take(_ count: Int, _ buffer: inout MessageBuffer) -> Int {
    let taken = buffer.take(count)
    bytes += taken
    return taken.count
  }

  private static func chunkSize(_ line: ArraySlice<UInt8>) throws(MessageFault) -> Int {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let digits = line.prefix { $0 != UInt8(ascii: ";") && !isSpace($0) }
    let rest = line[digits.endIndex...].drop(while: isSpace)
    guard (1...8).contains(digits.count), rest.isEmpty || rest.first == UInt8(ascii: ";"),
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw .malformed("chunk size") }
    return size
  }
}
