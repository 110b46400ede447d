/// A stretch of a file in which every read is checked: past the end there is `nil`, never a trap.
///
/// Offsets count from the window's own start. Making a smaller window copies nothing.
struct ByteWindow {
  private let bytes: [UInt8]
  private let start: Int
  /// How many bytes the window shows.
  let count: Int

  /// Shows a whole file.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = 0
    count = bytes.count
  }

  private init(bytes: [UInt8], start: Int, count: Int) {
    self.bytes = bytes
    self.start = start
    self.count = count
  }

  /// One byte, or `nil` outside the window.
  subscript(offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? bytes[start + offset] : nil
  }

  /// `length` bytes from `offset`, or `nil` unless all of them are inside.
  func window(at offset: Int, count length: Int) -> ByteWindow? {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    return ByteWindow(bytes: bytes, start: start + offset, count: length)
  }

  /// Everything from `offset` on; empty when that is past the end.
  func rest(from offset: Int) -> ByteWindow {
    let offset = min(max(offset, 0), count)
    return ByteWindow(bytes: bytes, start: start + offset, count: count - offset)
  }

  /// The first `length` bytes, or all when there are fewer.
  func prefix(_ length: Int) -> ByteWindow {
    ByteWindow(bytes: bytes, start: start, count: min(max(length, 0), count))
  }

  /// The bytes themselves, for copying them out.
  var content: ArraySlice<UInt8> { bytes[start..<start + count] }

  /// Whether exactly these bytes stand at `offset`.
  func holds(_ expected: [UInt8], at offset: Int) -> Bool {
    guard let found = window(at: offset, count: expected.count) else { return false }
    return found.content.elementsEqual(expected)
  }

  /// The offset of the first `byte` at or after `offset`.
  func firstOffset(of byte: UInt8, from offset: Int) -> Int? {
    guard offset >= 0, offset < count else { return nil }
    return bytes[start + offset..<start + count].firstIndex(of: byte).map { $0 - start }
  }

  /// An unsigned number of `width` bytes (1…8); `nil` outside the window or above `Int.max`.
  func number(at offset: Int, width: Int, _ order: ByteOrder = .big) -> Int? {
    guard (1...8).contains(width), let found = window(at: offset, count: width) else { return nil }
    let digits = found.content
    var value: UInt64 = 0
    switch order {
    case .big: for byte in digits { value = value << 8 | UInt64(byte) }
    case .little: for byte in digits.reversed() { value = value << 8 | UInt64(byte) }
    }
    return Int(exactly: value)
  }

  /// `length` bytes as text: UTF-8 where they are that, else Latin-1. Short when the window is.
  func text(at offset: Int, count length: Int) -> String {
    let found = rest(from: offset)
    let digits = found.content.prefix(max(length, 0))
    return String(validating: digits, as: UTF8.self)
      ?? String(String.UnicodeScalarView(digits.map { Unicode.Scalar($0) }))
  }
}

/// Which end of a number comes first.
enum ByteOrder { case big, little }
