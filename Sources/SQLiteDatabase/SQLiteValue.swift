/// A value in a column, with SQLite's own five types.
package enum SQLiteValue: Sendable, Equatable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text in UTF-8.
  case text(String)
  /// Bytes as they are.
  case blob([UInt8])
}
