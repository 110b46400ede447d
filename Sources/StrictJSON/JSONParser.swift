/// Reads one JSON document strictly: RFC 8259 without extensions, nothing behind it, every member once.
///
/// Time and memory are linear in the input, and the stack is bounded by `JSONLimits.maximumDepth`.
package enum JSONParser {
  /// Reads a whole document.
  ///
  /// - Parameters:
  ///   - bytes: the document in UTF-8, without a byte order mark; white space around it is allowed.
  ///   - limits: what it may ask for.
  /// - Returns: the value, its members in the order written.
  /// - Throws: `JSONParseError`, for the first fault in the document.
  package static func parse(
    _ bytes: some Collection<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONParseError) -> JSONValue {
    // The outcome travels as a value: the closure's own throws clause is untyped.
    let direct = bytes.withContiguousStorageIfAvailable { document(in: $0, limits: limits) }
    let outcome =
      direct ?? Array(bytes).withUnsafeBufferPointer { document(in: $0, limits: limits) }
    return try outcome.get()
  }

  private static func document(
    in bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits
  ) -> Result<JSONValue, JSONParseError> {
    do throws(JSONParseError) {
      try checkUTF8(bytes)
      var reader = DocumentReader(bytes: bytes, limits: limits)
      return .success(try reader.document())
    } catch {
      return .failure(error)
    }
  }

  private static func checkUTF8(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONParseError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw .invalidUTF8(offset: error.byteOffsets.lowerBound)
    }
  }
}

/// Walks over a document known to be UTF-8.
private struct DocumentReader {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var position = 0
  /// Reused for every text that has escapes.
  var scratch: [UInt8] = []

  init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  private var fault: JSONParseError { .invalidJSON(offset: position) }

  mutating func document() throws(JSONParseError) -> JSONValue {
    skipSpace()
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw fault }
    return value
  }

  private mutating func value(depth: Int) throws(JSONParseError) -> JSONValue {
    guard position < bytes.count else { throw fault }
    switch bytes[position] {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object(depth: Int) throws(JSONParseError) -> JSONObject {
    guard depth <= limits.maximumDepth else { throw .tooDeep }
    position += 1
    var object = JSONObject()
    skipSpace()
    if take(UInt8(ascii: "}")) { return object }
    while true {
      guard object.count < limits.maximumMembers else { throw .tooManyMembers }
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { throw fault }
      let key = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault }
      skipSpace()
      let value = try value(depth: depth)
      guard object.insert(key, value) else { throw .duplicateKey(key) }
      skipSpace()
      if take(UInt8(ascii: "}")) { return object }
      guard take(UInt8(ascii: ",")) else { throw fault }
      skipSpace()
    }
  }

  private mutating func array(depth: Int) throws(JSONParseError) -> [JSONValue] {
    guard depth <= limits.maximumDepth else { throw .tooDeep }
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return elements }
    while true {
      guard elements.count < limits.maximumMembers else { throw .tooManyMembers }
      elements.append(try value(depth: depth))
      skipSpace()
      if take(UInt8(ascii: "]")) { return elements }
      guard take(UInt8(ascii: ",")) else { throw fault }
      skipSpace()
    }
  }

  private mutating func number() throws(JSONParseError) -> JSONNumber {
    guard let end = NumberGrammar.end(in: bytes, from: position) else { throw fault }
    guard end - position <= limits.maximumStringBytes else { throw .stringTooLong }
    defer { position = end }
    return JSONNumber(checked: String(decoding: bytes[position..<end], as: UTF8.self))
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONParseError) -> JSONValue {
    let start = position
    for offset in 0..<word.utf8CodeUnitCount {
      guard start + offset < bytes.count, bytes[start + offset] == word.utf8Start[offset]
      else { throw fault }
    }
    position += word.utf8CodeUnitCount
    return value
  }

  // MARK: Text

  private mutating func string() throws(JSONParseError) -> String {
    position += 1
    let start = position
    try skipPlainText()
    if bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return try text(bytes[start..<position])
    }
    return try stringWithEscapes(from: start)
  }

  private mutating func stringWithEscapes(from start: Int) throws(JSONParseError) -> String {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: bytes[start..<position])
    while bytes[position] != UInt8(ascii: "\"") {
      position += 1
      try escape()
      let plain = position
      try skipPlainText()
      scratch.append(contentsOf: bytes[plain..<position])
      guard scratch.count <= limits.maximumStringBytes else { throw .stringTooLong }
    }
    position += 1
    return String(decoding: scratch, as: UTF8.self)
  }

  /// Moves to the next quote or backslash.
  private mutating func skipPlainText() throws(JSONParseError) {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      guard byte >= 0x20 else { throw fault }
      position += 1
    }
    throw fault
  }

  private func text(
    _ slice: Slice<UnsafeBufferPointer<UInt8>>
  ) throws(JSONParseError) -> String {
    guard slice.count <= limits.maximumStringBytes else { throw .stringTooLong }
    return String(decoding: UnsafeBufferPointer(rebasing: slice), as: UTF8.self)
  }

  /// Resolves the escape whose backslash is just behind.
  private mutating func escape() throws(JSONParseError) {
    guard position < bytes.count else { throw fault }
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(byte)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "u"):
      position += 1
      scratch.append(
        contentsOf: UTF8.encode(try escapedScalar()) ?? UTF8.encodedReplacementCharacter)
      return
    default: throw fault
    }
    position += 1
  }

  /// One code point from four hex digits, or from a pair of surrogates; a lone one is refused.
  private mutating func escapedScalar() throws(JSONParseError) -> Unicode.Scalar {
    let first = try hexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw fault }
    let second = try hexDigits()
    guard second >= 0xDC00, second <= 0xDFFF,
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw fault }
    return scalar
  }

  private mutating func hexDigits() throws(JSONParseError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw fault }
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = bytes[position]
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x41 + 10)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
      default: throw fault
      }
      position += 1
    }
    return value
  }

  // MARK: Bytes

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }
}
