package import SQLiteDatabase

/// One secret as it lies in the store: sealed, under a label (whose secret) and a kind (which one).
///
/// Its functions take the connection of whoever writes, so a sealed row and rows of one's own can
/// change in one transaction. They throw `SQLiteError` as any statement does.
package struct SealedRow: Sendable, Equatable {
  /// Whose secret it is, such as an account's id. Readable in the file.
  package let label: String
  /// Which secret of the label's it is. Readable in the file.
  package let kind: String
  /// Twelve bytes, different in every row ever sealed.
  package let nonce: [UInt8]
  /// Ciphertext and tag.
  package let sealed: [UInt8]

  init(label: String, kind: String, nonce: [UInt8], sealed: [UInt8]) {
    self.label = label
    self.kind = kind
    self.nonce = nonce
    self.sealed = sealed
  }

  /// Writes the row in place of an older one of the same label and kind, so there is never a second
  /// one to read by mistake (FB-E8).
  package func store(on connection: SQLiteConnection) throws(SQLiteError) {
    try connection.execute(
      """
      INSERT INTO vault_row(label, kind, nonce, sealed) VALUES(?, ?, ?, ?)
      ON CONFLICT(label, kind) DO UPDATE SET nonce = excluded.nonce, sealed = excluded.sealed
      """,
      [.text(label), .text(kind), .blob(nonce), .blob(sealed)])
  }

  /// The row of a label and kind, still sealed; nil where there is none.
  package static func load(
    _ label: String, kind: String, on connection: SQLiteConnection
  ) throws(SQLiteError) -> SealedRow? {
    let rows = try connection.query(
      "SELECT nonce, sealed FROM vault_row WHERE label = ? AND kind = ?",
      [.text(label), .text(kind)])
    return rows.first.map { row in
      SealedRow(
        label: label, kind: kind, nonce: row.blob("nonce") ?? [], sealed: row.blob("sealed") ?? [])
    }
  }

  /// The labels that have a row of a kind.
  package static func labels(
    kind: String, on connection: SQLiteConnection
  ) throws(SQLiteError) -> Set<String> {
    Set(
      try connection.query("SELECT label FROM vault_row WHERE kind = ?", [.text(kind)])
        .compactMap { $0.text("label") })
  }

  /// Removes the row of a label and kind; a missing one is fine.
  package static func remove(
    _ label: String, kind: String, on connection: SQLiteConnection
  ) throws(SQLiteError) {
    try connection.execute(
      "DELETE FROM vault_row WHERE label = ? AND kind = ?", [.text(label), .text(kind)])
  }

  /// Removes everything under a label. Call `checkpoint()` after the transaction to have the sealed
  /// bytes erased from the log as well.
  package static func removeAll(
    _ label: String, on connection: SQLiteConnection
  ) throws(SQLiteError) {
    try connection.execute("DELETE FROM vault_row WHERE label = ?", [.text(label)])
  }
}
