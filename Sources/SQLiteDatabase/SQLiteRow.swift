/// One row of a result.
package struct SQLiteRow: Sendable, Equatable {
  /// The columns' names, in the order of the query.
  package let columns: [String]
  /// Their values, in the same order.
  package let values: [SQLiteValue]

  init(columns: [String], values: [SQLiteValue]) {
    self.columns = columns
    self.values = values
  }

  /// The value of a column the query named; any other name is a mistake of ours and ends the program.
  package subscript(_ column: String) -> SQLiteValue {
    guard let index = columns.firstIndex(of: column) else {
      preconditionFailure("the query has no column \(column)")
    }
    return values[index]
  }

  /// The text in a column; nil for any other type.
  package func text(_ column: String) -> String? {
    if case .text(let value) = self[column] { value } else { nil }
  }

  /// The whole number in a column; nil for any other type.
  package func integer(_ column: String) -> Int64? {
    if case .integer(let value) = self[column] { value } else { nil }
  }

  /// The floating-point number in a column; nil for any other type.
  package func real(_ column: String) -> Double? {
    if case .real(let value) = self[column] { value } else { nil }
  }

  /// The bytes in a column; nil for any other type.
  package func blob(_ column: String) -> [UInt8]? {
    if case .blob(let value) = self[column] { value } else { nil }
  }
}
