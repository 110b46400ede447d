import CSQLite

/// One compiled statement. Belongs to its connection and must not outlive it.
final class SQLiteStatement {
  private let connection: OpaquePointer
  private let pointer: OpaquePointer

  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    self.connection = connection
    var compiled: OpaquePointer?
    var code = SQLITE_OK
    var isAlone = true
    sql.withCString { text in
      var rest: UnsafePointer<CChar>?
      code = sqlite3_prepare_v2(connection, text, -1, &compiled, &rest)
      isAlone = rest.map { String(cString: $0).allSatisfy { $0.isWhitespace || $0 == ";" } } ?? true
    }
    guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: connection) }
    guard let compiled, isAlone else {
      sqlite3_finalize(compiled)
      throw .other(code: SQLITE_MISUSE, message: "exactly one statement is expected")
    }
    pointer = compiled
  }

  deinit { sqlite3_finalize(pointer) }

  func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    guard sqlite3_bind_parameter_count(pointer) == values.count else {
      throw .other(code: SQLITE_MISUSE, message: "the statement has another number of parameters")
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: connection) }
    }
  }

  /// Runs to the next row; false at the end.
  func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(pointer)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code: code, connection: connection)
    }
  }

  /// Instructions of SQLite's virtual machine it has taken so far; what was not needed is not counted.
  var work: Int { Int(sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_VM_STEP, 0)) }

  var columns: [String] {
    (0..<sqlite3_column_count(pointer)).map { index in
      sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? ""
    }
  }

  var values: [SQLiteValue] {
    (0..<sqlite3_column_count(pointer)).map { value(at: $0) }
  }

  private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(pointer, index)
    case .integer(let number): return sqlite3_bind_int64(pointer, index, number)
    case .real(let number): return sqlite3_bind_double(pointer, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        guard let start = bytes.baseAddress, let count = Int32(exactly: bytes.count) else {
          return bytes.isEmpty ? grain_bind_text(pointer, index, "", 0) : SQLITE_TOOBIG
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          grain_bind_text(pointer, index, $0, count)
        }
      }
    case .blob(let bytes):
      guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
      // A nil address would bind NULL; an empty array has one.
      return bytes.isEmpty
        ? sqlite3_bind_zeroblob(pointer, index, 0) : grain_bind_blob(pointer, index, bytes, count)
    }
  }

  private func value(at index: Int32) -> SQLiteValue {
    switch sqlite3_column_type(pointer, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(pointer, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(pointer, index))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(pointer, index)
      let bytes = UnsafeBufferPointer(start: start, count: byteCount(at: index))
      return .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(pointer, index)
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: byteCount(at: index))))
    default: return .null
    }
  }

  private func byteCount(at index: Int32) -> Int {
    Int(sqlite3_column_bytes(pointer, index))
  }
}
