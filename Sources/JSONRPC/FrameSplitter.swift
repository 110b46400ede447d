#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Cuts a stream of bytes into messages, however the stream arrives.
///
/// A pure machine: bytes go in, frames come out, and cutting the same stream elsewhere gives the same
/// frames. Time is linear; memory is bounded by the message limit, and by nothing for blank lines.
package struct FrameSplitter: Sendable {
  /// What was found in the stream.
  package enum Event: Equatable, Sendable {
    /// The bytes of one message, without terminator or header.
    case frame(ArraySlice<UInt8>)
    /// A message over the limit, whose bytes are gone; the next one follows.
    case tooLarge
    /// Nothing will follow.
    case lost(FramingFault)
  }

  private enum State {
    /// Before the first byte that counts.
    case start
    case line
    /// In a line that was too long.
    case droppedLine
    case header
    case body(length: Int)
    case droppedBody(left: Int)
    case lost
  }

  /// The framing in use; `nil` until the stream has shown it.
  package private(set) var chosen: Framing?

  private let framing: Framing
  private let limit: Int
  private var state = State.start
  /// The part of a message that earlier chunks brought.
  private var pending: [UInt8] = []
  private var header = HeaderBlock()
  /// How much of a byte order mark was seen; `nil` once it cannot come any more.
  private var markBytes: Int? = 0

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let keptCapacity = 65_536

  /// A splitter at the start of a stream.
  ///
  /// - Parameters:
  ///   - framing: forced, or found out.
  ///   - limit: the longest message, in bytes.
  package init(framing: Framing, limit: Int) {
    self.framing = framing
    self.limit = limit
  }

  /// Takes the next bytes of the stream and hands out what they complete, in order.
  package mutating func push(_ chunk: ArraySlice<UInt8>, _ deliver: (Event) -> Void) {
    var rest = chunk
    while !rest.isEmpty {
      switch state {
      case .start: skipStart(&rest)
      case .line: takeLine(&rest, deliver)
      case .droppedLine: dropLine(&rest)
      case .header: takeHeader(&rest, deliver)
      case .body(let length): takeBody(&rest, length: length, deliver)
      case .droppedBody(let left):
        let count = min(left, rest.count)
        rest.removeFirst(count)
        state = left == count ? .header : .droppedBody(left: left - count)
      case .lost: return
      }
    }
  }

  /// Takes the end of the stream: a last line needs no line break (FB-C18), a message cut short is dropped.
  package mutating func finish(_ deliver: (Event) -> Void) {
    if case .start = state, let markBytes, markBytes > 0 {
      choose(startingWith: Self.byteOrderMark[..<markBytes])
    }
    if case .line = state { emitLine(pending[...], deliver) }
    pending = []
    state = .lost
  }

  // MARK: The start

  private mutating func skipStart(_ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.first {
      if let seen = markBytes {
        if byte == Self.byteOrderMark[seen] {
          markBytes = seen + 1 < Self.byteOrderMark.count ? seen + 1 : nil
          rest.removeFirst()
          continue
        }
        markBytes = nil
        // Looked like a mark and was none: those bytes are the message's.
        if seen > 0 { return choose(startingWith: Self.byteOrderMark[..<seen]) }
      }
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: rest.removeFirst()
      default: return choose(startingWith: rest.prefix(1), consumed: false)
      }
    }
  }

  private mutating func choose(startingWith bytes: ArraySlice<UInt8>, consumed: Bool = true) {
    let looksLikeHeader = bytes.first.map { $0 | 0x20 == UInt8(ascii: "c") } ?? false
    let choice = framing == .auto ? (looksLikeHeader ? .headers : .lines) : framing
    chosen = choice
    if choice == .headers {
      state = .header
      if consumed { header.start(with: bytes) }
    } else {
      state = .line
      if consumed { pending.append(contentsOf: bytes) }
    }
  }

  // MARK: Lines

  private mutating func takeLine(_ rest: inout ArraySlice<UInt8>, _ deliver: (Event) -> Void) {
    guard let end = Self.lineBreak(in: rest) else {
      // One more than the limit may be the first half of CR LF.
      if pending.count + rest.count > limit + 1 {
        pending = []
        state = .droppedLine
        deliver(.tooLarge)
      } else {
        pending.append(contentsOf: rest)
      }
      rest = rest[rest.endIndex...]
      return
    }
    if pending.isEmpty {
      emitLine(rest[..<end], deliver)
    } else {
      pending.append(contentsOf: rest[..<end])
      emitLine(pending[...], deliver)
      clearPending()
    }
    rest = rest[(end + 1)...]
  }

  private mutating func dropLine(_ rest: inout ArraySlice<UInt8>) {
    guard let end = Self.lineBreak(in: rest) else {
      rest = rest[rest.endIndex...]
      return
    }
    rest = rest[(end + 1)...]
    state = .line
  }

  private func emitLine(_ line: ArraySlice<UInt8>, _ deliver: (Event) -> Void) {
    let line = line.last == 0x0D ? line.dropLast() : line
    guard line.count <= limit else { return deliver(.tooLarge) }
    guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
    deliver(.frame(line))
  }

  private mutating func clearPending() {
    // One long message must not cost its size for the rest of the session.
    if pending.capacity > Self.keptCapacity {
      pending = []
    } else {
      pending.removeAll(keepingCapacity: true)
    }
  }

  private static func lineBreak(in bytes: ArraySlice<UInt8>) -> Int? {
    let offset: Int? = bytes.withUnsafeBytes { raw in
      guard let start = raw.baseAddress, let found = memchr(start, 0x0A, raw.count)
      else { return nil }
      return UnsafeRawPointer(found) - start
    }
    return offset.map { bytes.startIndex + $0 }
  }

  // MARK: Headers

  private mutating func takeHeader(_ rest: inout ArraySlice<UInt8>, _ deliver: (Event) -> Void) {
    while let byte = rest.popFirst() {
      do throws(FramingFault) {
        guard let length = try header.take(byte) else { continue }
        header = HeaderBlock()
        if length > limit {
          state = .droppedBody(left: length)
          deliver(.tooLarge)
        } else {
          state = .body(length: length)
          if length == 0 { takeBody(&rest, length: 0, deliver) }
        }
        return
      } catch {
        state = .lost
        return deliver(.lost(error))
      }
    }
  }

  private mutating func takeBody(
    _ rest: inout ArraySlice<UInt8>, length: Int, _ deliver: (Event) -> Void
  ) {
    let part = rest.prefix(length - pending.count)
    rest = rest[part.endIndex...]
    if part.count == length {
      deliver(.frame(part))
    } else {
      pending.append(contentsOf: part)
      guard pending.count == length else { return }
      deliver(.frame(pending[...]))
      clearPending()
    }
    state = .header
  }
}
