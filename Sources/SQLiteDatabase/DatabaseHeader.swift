/// What the first page of a database says about the program that wrote it
/// (SQLite file format §1.3 and §1.6), read without opening a transaction.
struct DatabaseHeader: Equatable {
  /// How many bytes of the first page are looked at.
  static let length = 108

  /// `PRAGMA application_id`.
  let applicationID: Int32
  /// `PRAGMA user_version`, read as unsigned: text written there gives a large number, not a small
  /// one.
  let userVersion: Int
  /// Whether there is any table, index, view or trigger.
  let isEmpty: Bool

  /// Reads the beginning of a page; one that does not begin as every database does is refused.
  init(page: [UInt8]) throws(SQLiteError) {
    guard page.count >= Self.length, page.starts(with: "SQLite format 3\0".utf8) else {
      throw .notADatabase
    }
    applicationID = Int32(bitPattern: page.bigEndian(at: 68))
    userVersion = Int(page.bigEndian(at: 60))
    // The schema's own tree starts in this page: a leaf (13) without cells is an empty schema.
    isEmpty = page[100] == 13 && page[103] == 0 && page[104] == 0
  }

  init(applicationID: Int32, userVersion: Int, isEmpty: Bool) {
    self.applicationID = applicationID
    self.userVersion = userVersion
    self.isEmpty = isEmpty
  }

  /// A file with nothing in it yet.
  static let new = DatabaseHeader(applicationID: 0, userVersion: 0, isEmpty: true)
}

extension [UInt8] {
  /// The 32-bit number at that offset, most significant byte first.
  func bigEndian(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
